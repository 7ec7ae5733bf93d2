#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/fixed-matrices, a product of matrices of fixed-point numbers: the output must be the
# same with GMP alone and on every backend.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/examples/fixed-matrices
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

for argument in 0 -1 x '5 0' '5 5x' '10001' '1 2 3'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$program" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "fixed-matrices $argument: exit status $status, not 2"
    [ -s "$work/err" ] || fail "fixed-matrices $argument: no message"
    [ ! -s "$work/out" ] || fail "fixed-matrices $argument: output"
done

all='3 70,20 1024,3 20000'
each() {
    echo "$all" | tr , '\n' | while read -r sizes; do
        # shellcheck disable=SC2086
        MPGPU_CONF=$1 "$program" $sizes >>"$2" 2>>"$work/err" || fail "$1: fixed-matrices $sizes"
    done
}
: >"$work/err"
each backend:none "$work/gmp"
[ "$(grep -c 'by GMP' "$work/err")" -eq 3 ] || fail "$(cat "$work/err")"
need_opencl_or_cuda
for backend in $(backends); do
    : >"$work/err"
    each "backend:$backend,open:wait,watchdog:600,batch:1" "$work/$backend"
    [ "$(grep -c 'on the device' "$work/err")" -eq 3 ] || fail "$backend: $(cat "$work/err")"
    same "$work/gmp" "$work/$backend"
done
