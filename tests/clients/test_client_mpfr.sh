#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The project's own MPFR program.
client=mpfr_client library=MPFR package=libmpfr-dev
. "$(dirname "$0")/client_of_ours.sh"
