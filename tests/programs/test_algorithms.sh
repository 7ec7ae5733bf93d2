#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The tests of products, in full and modulo B^n - 1 and B^n + 1, once more with an algorithm that the
# sizes alone would not choose; and the message where it does not serve.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda

tests=$builddir/tests/unit/operate
[ -x "$tests/test_mul" ] || skip 'the unit tests are not built'
for test in test_mul test_mulmod; do
    MPGPU_TEST_ALGORITHM=ssa MPGPU_TEST_PRODUCTS=${MPGPU_TEST_PRODUCTS:-40} "$tests/$test"
done

# A function at one size in limbs, with algorithm:ssa and more options; what the log is to say.
told() {
    for backend in $(backends); do
        MPGPU_CONF=log:2,algorithm:ssa,$3 LD_PRELOAD=$library \
            "$builddir/tests/differential/differential" --backend "$backend" --count 3 \
            --function "$1" --min-limbs "$2" --max-limbs "$2" >"$work/out" 2>&1 ||
            fail "$(cat "$work/out")"
        grep -q "algorithm ssa does not serve $4" "$work/out" || fail "$(cat "$work/out")"
    done
}

# Another is used below its smallest size, and modulo B^n - 1 where its self-test has no memory.
told mpn_mul_n 60 mul:1 '120 by 120 words'
told mpn_mulmod_bnm1 32768 memory:31M '65536 words modulo B^n - 1: ntt does'
