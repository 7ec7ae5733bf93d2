#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Two servers of one host whose devices copy from one another, and one server with two such devices:
# products and composite operations are shared, and have GMP's results, whatever becomes of a member
# or a program in the midst.  Without a GPU the devices are PoCL's, with memory that is files
# (ipcserve.c).
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/group.sh"
[ -x "$builddir/tests/process/ipcserve" ] || skip 'no server with such devices in this build (no OpenCL)'

# mpgpu-serve-mpi becomes what lies beside it.
cp "$start" "$work/mpgpu-serve-mpi"
ln -s "$(cd "$builddir" && pwd)/tests/process/ipcserve" "$work/mpgpu-serve"
start=$work/mpgpu-serve-mpi
LOG=3

# The sum of what the leader's clients have copied from device to device, in KiB.
across() {
    sed -n 's/.*is gone: .* launches, \([0-9]*\) KiB across$/\1/p' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }'
}
# A program on both devices that shares; its clients are gone from the server then.
shared() {
    CONF=shared:500,log:3 client "$@" >"$work/out" 2>"$work/err" || fail "$*: $(tail -n 20 "$work/err")"
    for try in 1 2 3 4 5 6 7 8 9 10; do
        "$serve" --list | grep -q 'requests,' || return 0
        sleep "0.$((try % 10))"
    done
    fail "a client stays: $("$serve" --list)"
}

# Products and quotients, with the server that runs: both devices take part, and copy.
shared_by_both() {
    "$served" products 1 200000 10 >"$work/alone"
    shared "$served" products 1 200000 10
    same "$work/alone" "$work/out"
    by_both "$work/err"
    copied=$(across)
    [ "$copied" -gt 0 ] || fail "$1: nothing is copied: $(cat "$work/log")"
    echo "passed: $1: shared products, $copied KiB copied"
    "$served" quotients 2 900000 3 >"$work/alone"
    shared "$served" quotients 2 900000 3
    same "$work/alone" "$work/out"
    grep -q 'a composite operation on two devices: done' "$work/err" || fail "$1: no composite operation is shared: $(cat "$work/err")"
    [ "$(across)" -gt "$copied" ] || fail "$1: nothing is copied: $(cat "$work/log")"
    echo "passed: $1: composite operations, $(($(across) - copied)) KiB copied"
}

# One server with both: PoCL has as many devices as the variable names.
if [ "$backend" = opencl ]; then
    export POCL_DEVICES='basic basic'
    MPGPU_CONF="backend:$backend,device:0+1,log:3" "$work/mpgpu-serve" --foreground >"$work/log" 2>&1 &
    alone=$!
    for try in 1 2 3 4 5 6 7 8 9 10 20 30; do
        "$serve" --list >"$work/list" 2>/dev/null && break
        sleep "0.$try"
    done
    grep -q '^device 1: .*, copies from 0$' "$work/list" || fail "the list: $(cat "$work/list" "$work/log")"
    shared_by_both 'one server'
    grep 'has opened' "$work/log" && fail 'memory of its own is opened'
    "$serve" --end
    wait $alone || fail "the server: $(cat "$work/log")"
    nothing_left
    export POCL_DEVICES=basic
fi

begin_foreground
grep -q '^device 0: .*, copies from 1$' "$work/list" || fail "the list: $(cat "$work/list" "$work/log")"
grep -q '^device 1: .*, copies from 0, of another member$' "$work/list" || fail "the list: $(cat "$work/list")"
shared_by_both 'two members'
[ "$(grep -c ': device [01] has opened memory of device [01]: ' "$work/log")" -ge 2 ] || fail "nothing is opened: $(cat "$work/log")"

# Several threads, little memory: memory is released and made anew.
"$served" threads 3 300000 6 2 >"$work/alone"
CONF=shared:500,memory:32M client "$served" threads 3 300000 6 2 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
echo 'passed: little memory'

# A program that is killed leaves nothing.
for after in 0.5 1; do
    CONF=shared:500 client "$served" products 4 400000 100000 >/dev/null 2>&1 &
    sleep "$after"
    kill -9 "$("$serve" --list | sed -n 's/^\([0-9]*\) served:.*/\1/p' | head -n 1)" || fail 'there is no client'
    wait $! 2>/dev/null || true
done
"$served" products 1 200000 3 >"$work/alone"
shared "$served" products 1 200000 3
same "$work/alone" "$work/out"
"$serve" --end
wait $mpirun || fail "mpirun: $(cat "$work/log")"
nothing_left
echo 'passed: a program is killed'

# A member that gets a signal in the midst of shared products: results are GMP's.
"$served" products 5 400000 60 >"$work/alone5"
for signal in KILL STOP; do
    for after in 0.3 0.8 1.3; do
        begin_foreground
        CONF=shared:500 client "$served" products 5 400000 60 >"$work/out" 2>"$work/err" &
        program=$!
        sleep $after
        kill -$signal "$member"
        wait $program || fail "a member that got $signal after $after s: $(cat "$work/err")"
        same "$work/alone5" "$work/out"
        kill -CONT "$member" 2>/dev/null || true
        "$serve" --end
        wait $mpirun || true
        kill -9 "$member" 2>/dev/null || true # one that was given up may not hear of the end
        nothing_left
    done
    echo "passed: a member gets $signal"
done

# Two others than the server of the program: handles go by way of that.
MEMBERS=3
begin_foreground
grep -q '^device 2: .*, copies from 0 1, of another member$' "$work/list" || fail "the list: $(cat "$work/list")"
"$served" products 6 200000 10 >"$work/alone"
DEVICE=1+2 shared "$served" products 6 200000 10
same "$work/alone" "$work/out"
by_both "$work/err"
grep -q ': device 1 has opened memory of device 2: ' "$work/log" || fail "nothing is opened: $(cat "$work/log")"
[ "$(across)" -gt 0 ] || fail "nothing is copied: $(cat "$work/log")"
"$serve" --end
wait $mpirun || fail "mpirun: $(cat "$work/log")"
nothing_left
MEMBERS=2
echo 'passed: two other members'

# As on two hosts there are no such copies: products are shared by way of the host.
begin_foreground --apart
grep -q 'copies from' "$work/list" && fail "the list: $(cat "$work/list")"
"$served" products 1 200000 10 >"$work/alone"
shared "$served" products 1 200000 10
same "$work/alone" "$work/out"
[ "$(across)" -eq 0 ] || fail "something is copied: $(cat "$work/log")"
"$serve" --end
wait $mpirun || fail "mpirun: $(cat "$work/log")"
nothing_left
echo 'passed: apart'
