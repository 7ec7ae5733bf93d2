#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the tests of products, in full and modulo B^n - 1 and B^n + 1, with the option `algorithm`
# set to an algorithm that the library would not choose.  Checks the log message if that algorithm
# cannot compute a product.
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

# Calls function $1 at a size of $2 limbs with algorithm $3 and the options $4.  The log must report
# that the algorithm cannot serve the size $5.
told() {
    for backend in $(backends); do
        MPGPU_CONF=log:2,algorithm:$3,$4 LD_PRELOAD=$library \
            "$builddir/tests/differential/differential" --backend "$backend" --count 3 \
            --function "$1" --min-limbs "$2" --max-limbs "$2" >"$work/out" 2>&1 ||
            fail "$(cat "$work/out")"
        grep -q "algorithm $3 does not serve $5" "$work/out" || fail "$(cat "$work/out")"
    done
}

# The library uses another algorithm for a product below the smallest size of the chosen algorithm.
# It also uses another algorithm for a product modulo B^n - 1 if the chosen algorithm's self-test
# lacks memory.
told mpn_mul_n 60 ssa mul:1 '120 by 120 words'
told mpn_mul_n 60 fft mul:1 '120 by 120 words'
told mpn_mulmod_bnm1 32768 ssa memory:31M '65536 words modulo B^n - 1: ntt does'
told mpn_mulmod_bnm1 32768 fft memory:31M '65536 words modulo B^n - 1: ntt does'

# Computes products of all shapes by the algorithm fft, with each kind of check of the results.
for verify in off device residue full; do
    for backend in $(backends); do
        MPGPU_CONF=log:1,algorithm:fft,mul:1,sqr:1,verify:$verify LD_PRELOAD=$library \
            "$builddir/tests/differential/differential" --backend "$backend" --count 10 \
            --function mpn_mul,mpn_sqr,mpn_mulmod_bnm1 --min-limbs 1000 --max-limbs 5000 \
            >"$work/out" 2>&1 || fail "verify:$verify: $(cat "$work/out")"
    done
done
