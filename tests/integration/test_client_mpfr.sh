#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program of ours for MPFR (tests/integration/mpfr_client.c).
. "$(dirname "$0")/common.sh"
client=$builddir/tests/integration/mpfr_client
[ -x "$client" ] || skip "MPFR's header was not found (Debian: libmpfr-dev)"
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$client"
check_client "$small" "$client" 3000
check_client "$large" "$client" 2000000
