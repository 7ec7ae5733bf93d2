#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the interception of FLINT's products of limbs, with a mock library that exports FLINT's
# functions.  Large products must be sent to the device.  The mock itself must compute small
# products, and all products if its version is unknown.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
caller=$builddir/tests/clients/flint_caller
known=$builddir/tests/clients/.libs/flint_like.so
unknown=$builddir/tests/clients/.libs/flint_unknown.so

# check LIBRARY LIMBS COUNTS SENT: runs flint_caller.  COUNTS are the calls that reached the mock's
# functions, SENT the calls that the statistics report as sent in the row flint_mpn_mul.
check() {
    "$run" --wait --threshold 100 --stats --conf log:2,watchdog:600 "$caller" "$1" "$2" \
        >"$work/out" 2>"$work/err" || fail "$1 $2: exit status $? $(cat "$work/err")"
    grep -qx "$3 calls of its own" "$work/out" || fail "$1 $2: $(cat "$work/out")"
    count=$(awk '$2 == "flint_mpn_mul" { sum += $4 } END { print sum + 0 }' "$work/err")
    [ "$count" -eq "$4" ] || fail "$1 $2: $count sent: $(cat "$work/err")"
    echo "$(basename "$1"), $2 limbs: $3, $count sent"
}

[ "$("$caller" "$known" 300)" = "4 4 4 4 4 calls of its own" ] || fail "wrong without this library"
check "$known" 300 "0 0 0 0 0" 20
grep -q 'FLINT 3.6.0 in .*flint_like.so: its large products are caught' "$work/err" ||
    fail "no word of FLINT: $(cat "$work/err")"
grep -q '^mpgpu: FLINT 3.6.0 in .*flint_like.so: its large products are caught' "$work/err" ||
    fail "the statistics do not name FLINT: $(cat "$work/err")"
check "$known" 30 "4 4 4 4 4" 0
check "$unknown" 300 "4 4 4 4 4" 0
grep -q '^mpgpu: FLINT in .*flint_unknown.so: of an unknown version, left alone' "$work/err" ||
    fail "the statistics do not name FLINT: $(cat "$work/err")"
grep -q 'has an unknown version: its products are not intercepted' "$work/err" || fail "no word of the version: $(cat "$work/err")"
