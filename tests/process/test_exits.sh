#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks exec, vfork, fork, _exit, abort and other ways in which a process ends, while a device is
# opened and while it computes. The program must behave as with GMP alone.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
exits=$builddir/tests/process/exits
ulimit -c 0
end_all_ways() {
    for way in $("$exits"); do
        # PoCL crashes if it finds no free descriptor while it opens a device, so these programs
        # only run with a device that is already open.
        opens='now wait'
        case $way,$SERVER in main-thread-descriptor*,off) opens='wait' ;; esac
        OPENS=$opens as_alone "$exits" "$way"
        echo "$way: as alone"
    done
}
both_ways end_all_ways
SERVER=off
# Ends programs while a driver is being loaded. Loading the slow driver may take longer than exit
# waits for it.
cp "$builddir/tests/process/.libs/slowdriver.so" "$work/libOpenCL.so.1"
while_loading() {
    (
        export LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" SLOWDRIVER_MS="$2"
        MORE=backend:opencl OPENS=now as_alone "$exits" "$1" "${3-1}"
    )
    echo "$1 while a driver is loaded in $2 ms: as alone"
}
for way in exit-thread exit-working return main-thread quick_exit _exit; do
    while_loading $way 400
done
# here a thread other than the main thread has begun to load the driver
while_loading return-working 400 0
while_loading exit-slowly 12000
# Ends programs while a list of devices is being opened; the library must not report that the first
# device is missing.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    MPGPU_CONF=device:0+1,mul:100,open:now,log:0 LD_PRELOAD=$library \
        "$builddir/tests/process/served" products "$i" $((10000 + 5000 * i)) 10 >"$work/out" 2>"$work/err"
    grep '`0` is no device' "$work/err" && fail 'a program that ends while two devices are opened'
done
echo 'ends while two devices are opened: the first is there'
# With server:auto, a child starts threads of the library, which look for a server. The child must
# end nevertheless.
for way in fork-main-thread fork-thread-main-thread; do
    (
        ulimit -t 100000 # this limit makes the library start no server
        MORE=server:auto OPENS=wait as_alone "$exits" $way
    )
done
# Children compute with GMP after fork, while the parent continues to use the device.
MORE=stats:text OPENS=wait
as_alone "$exits" fork-working 2
grep -q 'forked [1-9]' "$work/wait.err" || fail "no child has told of its calls: $(cat "$work/wait.err")"
grep -q '^mpgpu: device: none in a child' "$work/wait.err" || fail "a child's device"
[ "$(sent "$work/wait.err")" -ge 4 ] || fail "the parent's products were not sent: $(cat "$work/wait.err")"
