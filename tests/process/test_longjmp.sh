#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs threads with a small stack, signal handlers that leave a product by siglongjmp, and memory
# functions that leave, by longjmp, a call of GMP that reads a stream. The program continues as with
# GMP alone and still uses the device. A program that is not allowed to write files uses no OpenCL,
# because an OpenCL driver might end the program.
. "$(dirname "$0")/../support/common.sh"
longjmp=$builddir/tests/process/longjmp

# The expected output is written here. GMP alone cannot produce it: about once in a hundred runs, a
# jump out of malloc would leave malloc's lock taken. With the device, the thread calls no malloc
# during a product.
printf '%s\n' 'small stack: right' 'after jumps: right, in this thread and in another' \
    'streams: not locked after jumps' >"$work/right"
need_opencl_or_cuda
jump() {
    for backend in $(backends); do
        # A new cache, so that kernels are built in this run.
        MPGPU_CONF="backend:$backend,open:wait,mul:1000,sqr:1000,stats:text,cache:$work/$backend-cache,server:$SERVER" \
            LD_PRELOAD=$library timeout 600 "$longjmp" >"$work/$backend" 2>"$work/stats" ||
            fail "$backend: exit status $?"
        cat "$work/stats"
        same "$work/right" "$work/$backend"
        # The device must have computed all calls that the statistics count, and at least 6.
        awk '$2 == "all" { used = $3 >= 6 && $4 == $3 } END { exit !used }' "$work/stats" ||
            fail "$backend: the device was used no more"
    done
}
both_ways jump

pi=$builddir/examples/pi
"$pi" 20000 >"$work/pi"
if backends | grep -qx opencl; then
    {
        ulimit -f 0
        MPGPU_CONF="backend:opencl,open:wait,mul:100,stats:text,cache:$work/empty" LD_PRELOAD=$library "$pi" 20000 2>&1 || echo "status $?"
    } | cat >"$work/no-files"
    grep '^mpgpu: device: .*RLIMIT_FSIZE)$' "$work/no-files" || fail "not told: $(cat "$work/no-files")"
    sed '/^mpgpu: /d' "$work/no-files" | cmp - "$work/pi" || fail 'where no file may be written the program goes another way'
fi
