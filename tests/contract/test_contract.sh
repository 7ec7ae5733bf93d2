#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What a program observes of GMP's memory functions and of its variables' limbs is the same with
# every intercepted function as with GMP alone, on every backend.  MPGPU_TEST_OPERATIONS for more
# cases of each function.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
program=$builddir/tests/contract/contract
for backend in $(backends); do
    for limbs in 12 80; do
        MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:1,sqr:1,mulmod:1,add:1,batch:1" LD_PRELOAD=$library timeout 900 \
            "$program" "${MPGPU_TEST_SEED:-1}" "${MPGPU_TEST_OPERATIONS:-6}" $limbs ||
            fail "$backend, $limbs limbs: exit status $?"
    done
done
