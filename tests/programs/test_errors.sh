#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# GMP's errors (too large, division by zero, root of a negative number) must reach a preloaded
# program as with GMP alone: the same message and the same signal.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
ulimit -c 0
program=$builddir/tests/programs/errors

# Writes the output and exit status of error number $1 to file $2.
raise() {
    status=0
    "$program" "$1" >"$2" 2>&1 || status=$?
    echo "status $status" >>"$2"
}
n=0
while raise "$n" "$work/gmp" && [ "$status" -ne 3 ]; do
    [ "$status" -gt 128 ] || fail "error $n: GMP itself gives status $status"
    (
        export LD_PRELOAD="$library" MPGPU_CONF=open:wait,mul:0,sqr:0
        raise "$n" "$work/out"
    )
    same "$work/gmp" "$work/out"
    n=$((n + 1))
done
[ "$n" -ge 7 ] || fail "only $n errors"
echo "$n errors, each as GMP raises it"
