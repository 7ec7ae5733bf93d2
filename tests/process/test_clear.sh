#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# With clear:true nothing of operands and results is left in the process's memory.  Without it
# something is, which shows that the test can find it.  verify:full is left out: GMP's own scratch
# is not cleared.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
traces=$builddir/tests/process/traces

# places BACKEND OPTIONS LIMBS...
places() {
    conf=backend:$1,open:wait,watchdog:600,mul:1,sqr:1,$2
    shift 2
    MPGPU_CONF=$conf,stats:text LD_PRELOAD=$library timeout 600 "$traces" "$@" >"$work/out" 2>"$work/err" ||
        fail "$conf $*: status $?: $(cat "$work/err")"
    [ "$(sent "$work/err")" -ge $# ] || fail "$conf: not sent: $(cat "$work/err")"
    echo "$conf $*: $(cat "$work/out")"
}

for backend in $(backends); do
    for options in algorithm:auto algorithm:ntt algorithm:ssa algorithm:fft algorithm:ntt,lanes:2; do
        places "$backend" "clear:true,$options" 2000 20000 100000 2000
        grep -qx '0 places' "$work/out" || fail "$(cat "$work/out" "$work/err")"
        places "$backend" "clear:false,$options" 2000 20000 100000 2000
        ! grep -qx '0 places' "$work/out" || fail "nothing is left without clear:true: the test is blind"
    done
    places "$backend" clear:true,pool:off,algorithm:ntt 2000 5000
    grep -qx '0 places' "$work/out" || fail "$(cat "$work/out" "$work/err")"
done
