#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program of ours for MPFR.
client=mpfr_client library=MPFR package=libmpfr-dev
. "$(dirname "$0")/client_of_ours.sh"
