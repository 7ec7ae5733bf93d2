#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A server with two devices that copy from one another: products and composite operations are shared,
# and have GMP's results.  Without two GPUs the devices are PoCL's, with copies of the test's
# (peerserve.c).
. "$(dirname "$0")/../support/common.sh"
[ -x "$builddir/tests/process/peerserve" ] || skip 'no server with such devices in this build (no OpenCL)'
backends | grep -qx opencl || skip 'no OpenCL device on this machine'
served=$builddir/tests/process/served
serve=$builddir/tests/process/peerserve
runtime=$(mktemp -d /tmp/mpgpu-test-peers.XXXXXX)
export XDG_RUNTIME_DIR="$runtime" POCL_DEVICES='basic basic'
trap '"$serve" --end 2>/dev/null || true; rm -rf "$runtime"' EXIT

# The sum of what the clients have copied from device to device, in KiB.
across() {
    sed -n 's/.*is gone: .* launches, \([0-9]*\) KiB across$/\1/p' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }'
}
client() {
    MPGPU_CONF="backend:opencl,open:wait,watchdog:600,mul:100,sqr:100,stats:text,server:only,device:all,shared:500,${CONF-log:3}" \
        LD_PRELOAD=$library timeout 600 "$@"
}
by_both() {
    for device in 0 1; do
        grep -q "^mpgpu: device $device: [1-9]" "$1" || fail "device $device has had nothing: $(cat "$1")"
    done
}
# A program on both devices that shares; its clients are gone from the server then.
shared() {
    client "$@" >"$work/out" 2>"$work/err" || fail "$*: $(tail -n 20 "$work/err")"
    for try in 1 2 3 4 5 6 7 8 9 10; do
        "$serve" --list | grep -q 'requests,' || return 0
        sleep "0.$((try % 10))"
    done
    fail "a client stays: $("$serve" --list)"
}

# Products and quotients: both devices compute, and copy.
shared_by_both() {
    "$served" products 1 200000 10 >"$work/alone"
    shared "$served" products 1 200000 10
    same "$work/alone" "$work/out"
    by_both "$work/err"
    copied=$(across)
    [ "$copied" -gt 0 ] || fail "nothing is copied: $(cat "$work/log")"
    echo "passed: shared products, $copied KiB copied"
    "$served" quotients 2 900000 3 >"$work/alone"
    shared "$served" quotients 2 900000 3
    same "$work/alone" "$work/out"
    grep -q 'a composite operation on two devices: done' "$work/err" || fail "no composite operation is shared: $(cat "$work/err")"
    [ "$(across)" -gt "$copied" ] || fail "nothing is copied: $(cat "$work/log")"
    echo "passed: composite operations, $(($(across) - copied)) KiB copied"
}

MPGPU_CONF="backend:opencl,device:0+1,log:3" "$serve" --foreground >"$work/log" 2>&1 &
server=$!
for try in 1 2 3 4 5 6 7 8 9 10 20 30; do
    "$serve" --list >"$work/list" 2>/dev/null && break
    sleep "0.$try"
done
grep -q '^device 1: .*, copies from 0$' "$work/list" || fail "the list: $(cat "$work/list" "$work/log")"
shared_by_both

# Several threads, little memory: memory is released and made anew.
"$served" threads 3 300000 6 2 >"$work/alone"
CONF=memory:32M shared "$served" threads 3 300000 6 2
same "$work/alone" "$work/out"
echo 'passed: little memory'

# A program that is killed leaves nothing.
for after in 0.5 1; do
    client "$served" products 4 400000 100000 >/dev/null 2>&1 &
    sleep "$after"
    kill -9 "$("$serve" --list | sed -n 's/^\([0-9]*\) served:.*/\1/p' | head -n 1)" || fail 'there is no client'
    wait $! 2>/dev/null || true
done
"$served" products 1 200000 3 >"$work/alone"
shared "$served" products 1 200000 3
same "$work/alone" "$work/out"
"$serve" --end
wait $server || fail "the server: $(cat "$work/log")"
echo 'passed: a program is killed'
