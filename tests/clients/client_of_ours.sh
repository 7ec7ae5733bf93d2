# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # the test sets client, library and package
# Tests tests/clients/$client.c in the same way as programs of other projects.  It is this project's
# program for a library that uses GMP.  The test script sets client=PROGRAM library=NAME
# package=DEBIAN_PACKAGE before it sources this file.
. "$(dirname "$0")/../support/common.sh"
client=$builddir/tests/clients/$client
[ -x "$client" ] || skip "$library's header was not found (Debian: $package)"
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$client"
check_client "$small" "$client" 3000
check_client "$large" "$client" 2000000
