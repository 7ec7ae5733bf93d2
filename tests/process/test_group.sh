#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests a group of servers that mpirun starts. Clients of the first server also use the other
# server's devices; results are GMP's, even if a server is killed or stopped. Afterwards no process
# and no file is left.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/group.sh"

# Calls every intercepted function in several threads, using only the device of the group's second
# server.
every_function() {
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:1,sqr:1,mulmod:1,add:1,stats:text,server:only,device:1" \
        LD_PRELOAD=$library timeout 600 "$builddir/tests/differential/differential" --backend "$backend" \
        --count 60 --max-limbs 1000 --threads 3 >"$work/out" 2>"$work/err" || fail "differential: $(cat "$work/out")"
    [ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
}

# Checks that the second server's device is listed, and computes with each server's device alone.
begin
grep -q '^device 1: .*, of another member$' "$work/list" || fail "the list: $(cat "$work/list")"
MPGPU_CONF=backend:$backend "$builddir/tools/mpgpu-info" >"$work/info"
grep -A 3 '^server$' "$work/info" | grep -q '^  device 1: .* another member' || fail "mpgpu-info: $(cat "$work/info")"
"$served" products 1 40000 10 >"$work/alone"
DEVICE=1 client "$served" products 1 40000 10 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
[ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
DEVICE=0 client "$served" products 1 40000 10 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
echo 'passed: one device of the group'

# Threads use both. Only jobs can use the other server's device. Products of $bits bits are jobs on
# every device: a GPU computes shorter products in slots (lib/multiply/direct.c).
bits=500000
"$served" threads 2 $bits 40 4 >"$work/alone"
both() {
    client "$served" threads 2 $bits 40 4 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    by_both "$work/err"
    CONF=pool:256M client "$served" threads 2 $bits 40 4 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    by_both "$work/err"
}
both
end
begin_foreground
both
"$serve" --end
wait $mpirun || fail "mpirun: $(cat "$work/log")"
nothing_left
begin_foreground --apart
both
every_function
# Programs on the second host must use the devices of both servers, too.
(export XDG_RUNTIME_DIR="$runtime/b" && both) || exit 1
[ "$(grep -c ': device 1: rank [01] on ' "$work/log")" -eq 2 ] || fail "two hosts: $(cat "$work/log")"
# Kills one server of the group. mpirun and the first server must continue, and the first server's
# log must name the killed one.
kill -9 "$member"
sleep 1
grep -q ': rank 1 on .* has ended: its devices are left alone$' "$work/log" || fail "it says: $(cat "$work/log")"
"$serve" --end
wait $mpirun || true
nothing_left
begin
echo 'passed: threads'

# Checks that the server of the program's host computes batches on its own device, not on the other
# server's.
inverses=$builddir/examples/inverses
# A bundle's programs have no run path to the library.
path=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LD_LIBRARY_PATH=$path MPGPU_CONF=backend:none "$inverses" 2048 16 >"$work/alone" 2>/dev/null || fail 'inverses by GMP'
LD_LIBRARY_PATH=$path CONF=batch:1 client "$inverses" 2048 16 >"$work/out" 2>"$work/err" || fail "inverses: $(cat "$work/err")"
same "$work/alone" "$work/out"
grep -q '^mpgpu: device 0: [1-9]' "$work/err" || fail "device 0 has had nothing: $(cat "$work/err")"
echo 'passed: batches'

every_function
echo 'passed: all functions'

# A client with a limit on device memory (option memory) may use only the device of its own server.
# The other server does not get that limit.
"$served" threads 3 2000000 3 2 >"$work/alone"
CONF=memory:32M client "$served" threads 3 2000000 3 2 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
[ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
grep -q '^mpgpu: device 1: [1-9]' "$work/err" && fail "device 1 has had something: $(cat "$work/err")"
echo 'passed: little memory'

# Waits until the server has a client. On a busy machine a program may take seconds until it
# connects.
await_client() {
    for try in $(seq 300); do
        "$serve" --list 2>/dev/null | grep -q ' served:' && return
        sleep 0.1
    done
    fail "no client: $("$serve" --list 2>&1)"
}

# Kills a program: the other server must release all memory of that program.
client "$served" threads 4 $bits 1000000 2 >/dev/null 2>&1 &
await_client
sleep 1
killed=$("$serve" --list | sed -n 's/^\([0-9]*\) served:.*/\1/p' | head -n 1)
kill -9 "$killed" || fail 'there is no client'
wait $! 2>/dev/null || true
for try in 1 2 3 4 5 6 7 8 9 10; do
    "$serve" --list | grep -q ' served:' || break
    sleep "0.$((try % 10))"
done
"$serve" --list | grep -q ' served:' && fail "a client stays: $("$serve" --list)"
kill -0 "$member" || fail 'the member has ended'
end
echo 'passed: the end'

# A server of the group is killed or stopped after 0.1 to 1.5 s, while a program computes. Results
# must be GMP's, and the program must continue to use the first device.
many=120 # products of each thread: about 2 s of work for PoCL; a GPU gets more
grep -q '(the CPU)' "$work/err" || many=6000
"$served" threads 5 $bits $many 4 >"$work/alone5"
member_gets() {
    # shellcheck disable=SC2086 # none, or one word
    begin ${3-}
    client "$served" threads 5 $bits $many 4 >"$work/out" 2>"$work/err" &
    program=$!
    await_client
    sleep "$2"
    kill "-$1" "$member"
    wait $program || fail "a member that got $1 after $2 s: $(cat "$work/err")"
    same "$work/alone5" "$work/out"
    grep -q '^mpgpu: device 0: [1-9][0-9]* calls' "$work/err" || fail "$1: device 0 has had nothing: $(cat "$work/err")"
    grep -q '^mpgpu: device 0: .*left alone' "$work/err" && fail "$1: device 0 is left alone: $(cat "$work/err")"
    for try in 1 2 3 4 5 6 7 8; do
        "$serve" --list | grep -q '^device 1: .*has failed$' && break
        sleep 1
    done
    "$serve" --list | grep -q '^device 1: .*has failed$' || fail "the list: $("$serve" --list)"
    # A program that starts later must use the first server's device.
    client "$served" products 1 40000 3 >"$work/out" 2>"$work/err"
    "$served" products 1 40000 3 >"$work/alone"
    same "$work/alone" "$work/out"
    [ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
    kill -CONT "$member" 2>/dev/null || true
    # The first server has given up the stopped server, so it does not ask that server to end. When
    # the stopped server continues, a separate command must end it.
    "$serve" --end
    XDG_RUNTIME_DIR=$runtime/b "$serve" --end 2>/dev/null || true
    nothing_left
    echo "passed: a member gets $1 after $2 s ${3-}"
}
for after in 0.1 0.4 0.8 1.5; do
    member_gets KILL $after
done
member_gets STOP 0.7
member_gets KILL 0.6 --apart
member_gets STOP 0.9 --apart

# Stops the first server for some seconds, longer than the time after which other servers take a
# server that does not answer for dead. When it continues, the group must still be complete.
begin
sleep 1
kill -STOP "$leader"
sleep 6.5
kill -CONT "$leader"
sleep 1.5
"$serve" --list >"$work/list"
grep -q '^device 1: ' "$work/list" || fail "the list: $(cat "$work/list")"
grep -q 'has failed' "$work/list" && fail "after a pause of the leader: $(cat "$work/list")"
end
echo 'passed: a leader that pauses'

# Kills the server that a program is connected to: the program continues with GMP, and the group's
# other server exits.
begin
client "$served" threads 5 $bits $many 4 >"$work/out" 2>"$work/err" &
program=$!
await_client
sleep 1
kill -9 "$leader"
wait $program || fail "a server that is killed: $(cat "$work/err")"
same "$work/alone5" "$work/out"
rm -f "$socket"
nothing_left
echo 'passed: the server is killed'

