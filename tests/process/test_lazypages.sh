#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests programs whose handlers of SIGSEGV or SIGBUS make pages accessible. Operations with operands
# or results on such pages must use the device. If the handlers protect pages again, GMP computes.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
lazypages=$builddir/tests/process/lazypages
handle_faults() {
    for backend in $(backends); do
        for how in lazy jump file memory few; do
            for limbs in 60 3000 12000; do
                [ $how != few ] || [ $limbs -le 3000 ] || continue # with longer numbers GMP's page faults take seconds
                OPENS=wait MORE=backend:$backend,batch:1,stats:text as_alone "$lazypages" $how $limbs
                count=$(sent "$work/wait.err")
                [ "$count" -ge 5 ] || fail "$how, $limbs limbs, $backend: $count sent: $(cat "$work/wait.err")"
            done
            echo "$backend, $how: as with GMP alone, $count calls sent"
        done
    done
}
both_ways handle_faults
