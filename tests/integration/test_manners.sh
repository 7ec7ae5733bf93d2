#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Threads with a small stack, and signal handlers that leave a product by siglongjmp:
# the program goes on as with GMP alone, and the device with it.
. "$(dirname "$0")/common.sh"
manners=$builddir/tests/integration/manners

# Not run with GMP alone: a jump out of its malloc, which the device's work has none of,
# would leave a lock taken once in a hundred runs.
printf '%s\n' 'small stack: right' 'after jumps: right, in this thread and in another' >"$work/right"
need_opencl_or_cuda
for backend in $(backends); do
    # A cache of its own, so that programs are built in this run.
    MPGPU_CONF="backend:$backend,open:wait,mul:1000,sqr:1000,stats:text,cache:$work/$backend-cache" \
        LD_PRELOAD=$library timeout 600 "$manners" >"$work/$backend" 2>"$work/stats" ||
        fail "$backend: exit status $?"
    cat "$work/stats"
    same "$work/right" "$work/$backend"
    # The first product and the last two, each with a power, and those that were left when they were done.
    awk '$2 == "all" { used = $3 >= 6 && $4 == $3 } END { exit !used }' "$work/stats" ||
        fail "$backend: the device was used no more"
done
