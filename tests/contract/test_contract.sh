#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the contract test on every backend: each intercepted function must use the program's memory
# functions and the limbs of its variables as GMP does.  MPGPU_TEST_OPERATIONS sets the number of
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
