#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests GMP's C++ classes mpz_class, mpq_class and mpf_class: their operations must be intercepted
# like the functions that they call.
. "$(dirname "$0")/../support/common.sh"
need_command "${CXX:=c++}"
echo '#include <gmpxx.h>' >"$work/header.cc"
$CXX -fsyntax-only "$work/header.cc" 2>/dev/null || skip "gmpxx.h is not installed"
need_opencl_or_cuda

$CXX -O2 -o "$work/gmpxx" "$srcdir/tests/programs/gmpxx.cc" -lgmpxx -lgmp ||
    fail "the program does not build"
"$work/gmpxx" >"$work/gmp"
grep -q '^read back' "$work/gmp" || fail "the program is wrong with GMP alone"

# The statistics must show calls of function $1 that were sent to the device.
expect_sent() {
    awk -v name="$1" '$2 == name && $4 > 0 { found = 1 } END { exit !found }' "$work/stats" ||
        fail "$backend: no $1 was sent"
}

for backend in $(backends); do
    MPGPU_CONF="backend:$backend,open:wait,mul:10,sqr:10,mulmod:10,stats:text" LD_PRELOAD=$library \
        "$work/gmpxx" >"$work/$backend" 2>"$work/stats"
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    for function in mpz_mul mpq_add mpq_mul mpf_mul; do
        expect_sent "$function"
    done
done
