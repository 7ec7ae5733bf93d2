#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The tests of products and rings once more with an algorithm that the sizes alone would
# not choose, and what is said where it does not serve.
. "$(dirname "$0")/common.sh"
need_opencl_or_cuda

for test in mul ring; do
    program=$builddir/tests/unit/test_$test
    [ -x "$program" ] || skip 'the unit tests are not built'
    MPGPU_TEST_ALGORITHM=ssa MPGPU_TEST_PRODUCTS=${MPGPU_TEST_PRODUCTS:-40} "$program"
done

# Below its smallest size another is used, and the log says so.
for backend in $(backends); do
    MPGPU_CONF=log:2,algorithm:ssa LD_PRELOAD=$library "$builddir/tests/integration/differential" \
        --backend "$backend" --count 3 --function mpn_mul_n --min-limbs 60 --max-limbs 60 \
        >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    grep -q 'algorithm ssa does not serve 120 by 120 words' "$work/out" || fail "$(cat "$work/out")"
done
