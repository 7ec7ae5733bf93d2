#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Sends signals while a device is opened and while it computes. Handlers run, multiply and exit as
# with GMP alone, and the statistics are written at the end.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
interrupts=$builddir/tests/process/interrupts
interrupt() {
    for what in storm multiply allocate end keep fork; do
        as_alone "$interrupts" $what
        echo "$what: $(cat "$work/wait.out")"
    done
    # A program that is stopped for longer than its watchdog, as by Ctrl-Z, must still use its
    # device when it continues.
    MORE=watchdog:2,stats:text OPENS=wait as_alone "$interrupts" stop
    grep '^mpgpu: device: left alone' "$work/wait.err" && fail "stop: the device is left alone"
    [ "$(sent "$work/wait.err")" -ge 10 ] || fail "stop: not sent: $(cat "$work/wait.err")"
    # A handler multiplies; its signal may have interrupted malloc. This product must not open a
    # device; the next ordinary call must.
    for what in beside call open; do
        MORE=stats:text as_alone "$signalled" $what
        [ "$(sent "$work/wait.err")" -ge 1 ] || fail "$what: not opened by the next call: $(cat "$work/wait.err")"
    done
    for what in storm end; do
        MORE=stats:text OPENS=wait as_alone "$interrupts" $what
        [ "$(sent "$work/wait.err")" -ge 1 ] || fail "$what: no statistics: $(cat "$work/wait.err")"
    done
}
signalled=$builddir/tests/process/signalled
both_ways interrupt
SERVER=off
# A signal that ends the program by default must not wait for a slow driver.
cp "$builddir/tests/process/.libs/slowdriver.so" "$work/libOpenCL.so.1"
begin=$(date +%s)
status=0
LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" SLOWDRIVER_MS=60000 LD_PRELOAD=$library \
    MPGPU_CONF=backend:opencl,open:wait,mul:1,sqr:1 timeout -s TERM 1 "$interrupts" multiply \
    >"$work/default" 2>&1 || status=$?
[ $status -eq 124 ] || fail "SIGTERM while a driver is loaded: exit status $status: $(cat "$work/default")"
[ $(($(date +%s) - begin)) -le 40 ] || fail "SIGTERM has waited for the driver"
echo "SIGTERM while a driver is loaded: at once"
# A driver's thread must not receive the program's signals, and its handlers must not replace the
# program's.
LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD=$library \
    MPGPU_CONF=backend:opencl,open:wait,mul:1,sqr:1 "$interrupts" keep >"$work/keep" 2>&1 || true
grep -qx 'signals handled' "$work/keep" || fail "a driver has the signals: $(cat "$work/keep")"
# A handler multiplies; its signal may have interrupted malloc. The library must open a second stream
# without calling malloc. These options send the handler's products to a stream; otherwise a GPU
# computes them in slots (lib/multiply/direct.c). With two streams on a CPU, an assertion in PoCL may
# abort the program (test_streams.c).
if (MORE=streams:2,log:2,algorithm:ntt,dispatch:fixed OPENS=wait as_alone "$signalled" beside); then
    grep '^mpgpu: another stream' "$work/wait.err" || fail "no other stream was opened: $(cat "$work/wait.err")"
elif grep -q pocl_release_dlhandle_cache "$work/wait.err"; then
    echo 'skipped: two streams: PoCL has ended the program'
else
    fail "beside: $(cat "$work/wait.err")"
fi
# A handler multiplies while another thread waits for a device: the handler must not wait for that
# device.
LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" SLOWDRIVER_MS=60000 LD_PRELOAD=$library \
    MPGPU_CONF=backend:opencl,open:wait,mul:1,sqr:1 timeout -s KILL 40 "$signalled" wait >"$work/beside" 2>&1 || true
grep -qx right "$work/beside" || fail "has waited in a handler: $(cat "$work/beside")"
