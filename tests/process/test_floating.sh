#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that calls do not change the program's floating-point environment: flags, traps and
# rounding. Some calls use the device, others GMP; some runs also check results.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
floating=$builddir/tests/process/floating
compare() {
    for backend in $(backends); do
        for more in log:3 verify:residue,log:3 verify:full algorithm:ntt; do
            MORE=backend:$backend,stats:text,confirm:true,mul:80,sqr:80,add:80,$more as_alone "$floating"
            [ "$(sent "$work/wait.err")" -ge 50 ] || fail "not sent: $(cat "$work/wait.err")"
            echo "$backend, $more: $(cat "$work/wait.out")"
        done
        MORE=backend:$backend,mul:80,sqr:80,add:80 as_alone "$floating"
    done
}
both_ways compare
