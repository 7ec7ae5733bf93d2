#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# With default options the library creates no thread, opens no file and loads no driver until GMP
# has spent 20 ms in calls above the thresholds.  The programs' clock is simulated, so the machine's
# speed does not matter.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
contacts=$builddir/tests/process/contacts
none='threads 0, files 0, mapped 0, children 0'

# Even if options set the thresholds, the library must not create threads, open files or load
# drivers in the first 20 ms of GMP's long calls.
for conf in server:off server:off,mul:100,sqr:100; do
    MPGPU_CONF=$conf LD_PRELOAD=$library "$contacts" 0 50 200000 >"$work/out"
    [ "$(cat "$work/out")" = "$none" ] || fail "$conf, no time has passed: $(cat "$work/out")"
    MPGPU_CONF=$conf LD_PRELOAD=$library "$contacts" 1000 50 200000 >"$work/out"
    [ "$(cat "$work/out")" = "$none" ] || fail "$conf, some microseconds a call: $(cat "$work/out")"
done
echo 'passed: nothing is asked of anybody'

MPGPU_CONF=server:off,mul:100,sqr:100 LD_PRELOAD=$library "$contacts" 20000000 2 200000 60 >"$work/out"
grep -q '^threads [1-9]' "$work/out" || fail "20 ms have passed: $(cat "$work/out")"
MPGPU_CONF=server:off,mul:100,sqr:100,open:now LD_PRELOAD=$library "$contacts" 0 1 200000 60 >"$work/out"
grep -q '^threads [1-9]' "$work/out" || fail "open:now: $(cat "$work/out")"
echo 'passed: a device is asked for then'
