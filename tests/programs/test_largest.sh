#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Computes very large products and checks them by residues: with operands of equal and of different
# sizes, with enough device memory, and with so little that the operands are split.
# MPGPU_TEST_LARGE=1 adds operands of 2^36 bits, whose product is about as long as an mpz can be.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
largest=$builddir/tests/programs/largest

# Computes a product on backend $1 with the options $2; $3... are log2 of the operands' bits.
multiply() {
    conf=backend:$1,open:wait,watchdog:600,mul:1,$2
    shift 2
    status=0
    MPGPU_CONF=$conf LD_PRELOAD=$library "$largest" "$@" >"$work/out" 2>"$work/err" || status=$?
    cat "$work/out"
    [ $status -eq 0 ] || [ $status -eq 77 ] || fail "$conf, $*: $(cat "$work/err")"
    return $status
}

# Computes all products on backend $1.  Returns 77 if the memory is too small for one of them.
check() {
    multiply "$1" log:1 22 && multiply "$1" log:1 23 19 && multiply "$1" memory:3000000,stats:text 22 || return
    [ "$(sent "$work/err")" -eq 1 ] || fail "not one call: $(cat "$work/err")"
    multiply "$1" memory:3000000,log:1 23 19 || return
    [ "${MPGPU_TEST_LARGE:-0}" = 0 ] || multiply "$1" log:1 36
}

ran=
for backend in $(backends); do
    status=0
    check "$backend" || status=$?
    case $status in
    0) ran=$backend ;;
    77) echo "skipped: $backend: see above" ;;
    *) exit $status ;;
    esac
done
[ -n "$ran" ] || skip "no backend has the memory"
