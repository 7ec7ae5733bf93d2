#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A program of ours for FLINT (tests/integration/flint_client.c).
. "$(dirname "$0")/common.sh"
client=$builddir/tests/integration/flint_client
[ -x "$client" ] || skip "FLINT's header was not found (Debian: libflint-dev)"
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$client"
check_client "$small" "$client" 3000
check_client "$large" "$client" 2000000
