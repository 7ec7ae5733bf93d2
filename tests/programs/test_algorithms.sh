#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The tests of products, in full and modulo B^n - 1 and B^n + 1, once more with an algorithm that the
# sizes alone would not choose; and the message where it does not serve.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda

tests=$builddir/tests/unit/operate
[ -x "$tests/test_mul" ] || skip 'the unit tests are not built'
for test in test_mul test_mulmod; do
    for algorithm in ssa fft; do
        MPGPU_TEST_ALGORITHM=$algorithm MPGPU_TEST_PRODUCTS=${MPGPU_TEST_PRODUCTS:-40} \
            "$tests/$test"
    done
done

# A function at one size in limbs, with an algorithm and more options; what the log is to say.
told() {
    for backend in $(backends); do
        MPGPU_CONF=log:2,algorithm:$3,$4 LD_PRELOAD=$library \
            "$builddir/tests/differential/differential" --backend "$backend" --count 3 \
            --function "$1" --min-limbs "$2" --max-limbs "$2" >"$work/out" 2>&1 ||
            fail "$(cat "$work/out")"
        grep -q "algorithm $3 does not serve $5" "$work/out" || fail "$(cat "$work/out")"
    done
}

# Another is used below its smallest size, and modulo B^n - 1 where its self-test has no memory or
# digits don't divide n.
told mpn_mul_n 60 ssa mul:1 '120 by 120 words'
told mpn_mul_n 60 fft mul:1 '120 by 120 words'
told mpn_mulmod_bnm1 32768 ssa memory:31M '65536 words modulo B^n - 1: ntt does'
told mpn_mulmod_bnm1 32768 fft memory:31M '65536 words modulo B^n - 1: ntt does'

# By fft, of all shapes of operands, with every check of results.
for verify in off device residue full; do
    for backend in $(backends); do
        MPGPU_CONF=log:1,algorithm:fft,mul:1,sqr:1,verify:$verify LD_PRELOAD=$library \
            "$builddir/tests/differential/differential" --backend "$backend" --count 10 \
            --function mpn_mul,mpn_sqr,mpn_mulmod_bnm1 --min-limbs 1000 --max-limbs 5000 \
            >"$work/out" 2>&1 || fail "verify:$verify: $(cat "$work/out")"
    done
done
