#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Threads with a small stack, signal handlers that leave a product by siglongjmp, and memory
# functions that leave the reading of a stream: the program continues as with GMP alone, and still
# uses the device.  A program that may not write files uses no OpenCL, whose driver might end it.
. "$(dirname "$0")/../support/common.sh"
longjmp=$builddir/tests/process/longjmp

# Not run with GMP alone: a jump out of GMP's malloc would leave its lock taken, about once in a
# hundred runs.  The device's work calls no malloc in this thread.
printf '%s\n' 'small stack: right' 'after jumps: right, in this thread and in another' \
    'streams: not locked after jumps' >"$work/right"
need_opencl_or_cuda
jump() {
    for backend in $(backends); do
        # A cache of its own, so that programs are built in this run.
        MPGPU_CONF="backend:$backend,open:wait,mul:1000,sqr:1000,stats:text,cache:$work/$backend-cache,server:$SERVER" \
            LD_PRELOAD=$library timeout 600 "$longjmp" >"$work/$backend" 2>"$work/stats" ||
            fail "$backend: exit status $?"
        cat "$work/stats"
        same "$work/right" "$work/$backend"
        # The first product and the last two, a power before each, and products left after they were done.
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
