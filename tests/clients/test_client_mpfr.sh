#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs mpfr_client, the MPFR program of this project.
client=mpfr_client library=MPFR package=libmpfr-dev
. "$(dirname "$0")/client_of_ours.sh"
