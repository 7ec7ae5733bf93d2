#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A server with two devices must run a client's job on the free device, and split long operations
# between both devices.  Operands are in the pool (memory for large results, shared with the
# server), in the connection's shared memory, or in memory that is not shared.  Results must be
# GMP's even if a device, a client or the server fails during the work.  Without a GPU the two
# devices are PoCL's (peerserve.c).
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
rogue_jobs=$builddir/tests/process/rogue_jobs
alone=$serve
serve=$builddir/tests/process/peerserve
[ -x "$serve" ] || skip 'no server with such devices in this build (no OpenCL)'
export POCL_DEVICES='basic basic'

begin_shared() {
    SERVER_CONF=device:${DEVICES-0+1},shared:${SHARED-500},log:3 begin
    grep -q '^device 1: ' "$work/list" || skip 'no two devices'
}
# Prints how many operations whose name matches $1 the server has split between devices.
shared() {
    grep -c "$1.* on .* devices: done" "$work/log" || true
}
mkdir -p "$work/conf/mpgpu-gmp"
printf 'watchdog:600\nserver:only\ndevice:0+1\n' >"$work/conf/mpgpu-gmp/mpgpu.conf"
# Runs clients that may use both devices and compares their output with GMP's: products and
# quotients in the pool, and all kinds of operations that can be split, in malloc's memory.
"$served" products 1 130000 10 >"$work/products"
"$served" quotients 2 600000 3 >"$work/quotients"
"$served" elsewhere 3 900000 1 >"$work/elsewhere"
answer() {
    CONF=device:0+1,log:2 client "$served" "$@" >"$work/out" 2>>"$work/err" || fail "$*: $(cat "$work/err" "$work/log")"
    same "$work/$1" "$work/out"
}
answers() {
    : >"$work/err"
    answer products 1 130000 10
    answer quotients 2 600000 3
    answer elsewhere 3 900000 1
}

# Both mpgpu-serve and the test program peerserve must split operations. The client itself must not:
# it sends whole jobs.
for server in "$serve" "$alone"; do
    serve=$server
    begin_shared
    answers
    by_server "$work/err"
    [ "$(shared 'a product')" -ge 12 ] || fail "$(shared 'a product') products were shared: $(cat "$work/log")"
    [ "$server" = "$alone" ] || [ "$(shared 'a composite operation')" -ge 6 ] || fail "composite operations were not shared: $(cat "$work/log")"
    grep ' on .* devices: ' "$work/err" && fail 'the client has shared an operation'
    grep 'fault .* of the device\|left alone' "$work/log" "$work/err" && fail 'a fault'
    # A client whose options name one device must not use the other.
    before=$(shared '')
    CONF=device:1,log:2 client "$served" products 1 130000 10 >"$work/out" 2>"$work/err"
    same "$work/products" "$work/out"
    by_server "$work/err"
    [ "$(shared '')" -eq "$before" ] || fail 'operations of a client with one device were shared'
    all_are_gone
    end
done
serve=$builddir/tests/process/peerserve
echo 'passed: programs'

# Jobs of several clients must go to whichever device is free.
SHARED=never begin_shared
clients=
for i in 1 2 3; do
    CONF=device:0+1,log:2 client "$served" products 1 400000 200 >"$work/out$i" 2>"$work/err$i" &
    clients="$clients $!"
done
for client in $clients; do
    wait "$client" || fail "a client: $(cat "$work"/err?)"
done
"$served" products 1 400000 200 >"$work/many"
for i in 1 2 3; do
    same "$work/many" "$work/out$i"
    by_server "$work/err$i"
done
[ "$(shared '')" -eq 0 ] || fail 'something was shared'
end
echo 'passed: several clients'

# In each run, one call to device 1 fails, or one copy changes a word. By default this is the first
# call or a random later one; MPGPU_TEST_FIRSTS lists other numbers of calls. A failure must be
# counted as this device's fault, a wrong word must not. The client must get right results.
for fault in copy write read launch word; do
    for first in ${MPGPU_TEST_FIRSTS:-1 $(shuf -n 2 -e 2 3 5 9)}; do
        export MPGPU_TEST_FAULT=$fault/1/$first/$first
        begin_shared
        unset MPGPU_TEST_FAULT
        answers
        grep -q 'is made to fail' "$work/log" || { [ $first -gt 3 ] || fail "$fault $first: no fault was made: $(cat "$work/log")"; }
        grep 'left alone' "$work/err" "$work/log" && fail "$fault $first: a device is left alone"
        [ $first -gt 3 ] || [ $fault = word ] || grep -q 'fault 1 of the device' "$work/err" || fail "$fault $first: no fault is counted: $(cat "$work/err")"
        [ $fault != word ] || ! grep 'fault . of the device' "$work/err" || fail "word $first: a fault is counted"
        all_are_gone
        end
    done
    echo "passed: a device's $fault"
done

# A client that has seen three faults of a device must use only the other device. Other clients must
# still use both.
export MPGPU_TEST_FAULT=copy/1/1/3
begin_shared
unset MPGPU_TEST_FAULT
: >"$work/err"
answer products 1 130000 10
grep -q '^mpgpu: device 1: .* left alone: too many faults' "$work/err" || fail "device 1 is not left alone: $(cat "$work/err" "$work/log")"
grep -q '^mpgpu: device 0: [1-9].*by mpgpu-serve' "$work/err" || fail "device 0 is: $(cat "$work/err" "$work/log")"
grep '^mpgpu: mpz_mul .*no device' "$work/err" && fail "no device is left: $(cat "$work/err")"
grep 'left alone' "$work/log" && fail 'the server leaves a device alone'
before=$(shared '')
answers
[ "$(shared '')" -gt "$before" ] || fail "another client's operations are not shared: $(cat "$work/log")"
grep 'fault' "$work/err" && fail 'another client has found a fault'
all_are_gone
end
echo 'passed: a device with many faults'

# A copy to one device never returns. The client must give up that device; other clients must be
# able to use the other one.
for program in products quotients; do
    MPGPU_TEST_FAULT=hang/1/2/1000000 begin_shared
    bits=$([ $program = products ] && echo '1 130000 10' || echo '2 600000 3')
    # shellcheck disable=SC2086 # several words
    CONF=device:0+1,log:2,watchdog:3 client "$served" $program $bits >"$work/out" 2>"$work/err" || fail "$program: $(cat "$work/err" "$work/log")"
    same "$work/$program" "$work/out"
    grep -q 'left alone: it does not answer' "$work/err" || fail "$program: nothing hangs: $(cat "$work/err" "$work/log")"
    CONF=device:0,log:2 client "$served" products 1 130000 10 >"$work/out" 2>"$work/err" || fail "another client: $(cat "$work/err")"
    same "$work/products" "$work/out"
    by_server "$work/err"
    kill -9 "$pid"
    wait "$pid" || true
    pid=
done
echo 'passed: a device that hangs'

# Runs clients of all kinds that send invalid jobs, or end during a job; valid clients work at the
# same time.
SHARED=8 begin_shared
seed=${MPGPU_TEST_SEED:-$(date +%s)}
XDG_CONFIG_HOME=$work/conf timeout 600 "$rogue_jobs" "$backend" "$seed" "${MPGPU_TEST_ROGUES:-13}" >"$work/rogue" 2>&1 &
rogues=$!
rounds=0
while kill -0 $rogues 2>/dev/null; do
    sleep 0.5 # leaves CPU time to the misbehaving clients
    answers
    grep 'fault' "$work/err" && fail 'the good client has found a fault'
    rounds=$((rounds + 1))
done
wait $rogues || fail "seed $seed: $(cat "$work/rogue" "$work/log")"
kill -0 "$pid" || fail "the server has ended: $(cat "$work/log")"
all_are_gone
for after in 0.1 0.3 0.6; do
    CONF=device:0+1,log:2 client "$served" products 4 4000000 100000 >/dev/null 2>&1 &
    program=$!
    until "$serve" --list | grep -q ' served: [1-9]'; do
        sleep 0.1
    done
    sleep $after
    kill -9 "$("$serve" --list | sed -n 's/^\([0-9]*\) served:.*/\1/p' | head -n 1)" || fail 'there is no client'
    wait $program || true
done
before=$(shared '')
answers
[ "$(shared '')" -gt "$before" ] || fail 'nothing is shared behind clients that were killed'
grep 'left alone' "$work/log" && fail 'a client counts as a fault of a device'
all_are_gone
end
echo "passed: clients that are wrong or killed, $rounds rounds beside them"

# Kills the server while its devices compute for a client.
"$served" products 5 400000 400 >"$work/long"
for after in 0.2 0.5 0.8; do
    begin_shared
    CONF=device:0+1,log:2 client "$served" products 5 400000 400 >"$work/out" 2>"$work/err" &
    program=$!
    sleep $after
    kill -9 "$pid"
    wait "$pid" || true
    pid=
    wait $program || fail "the server was killed after $after s: $(cat "$work/err")"
    same "$work/long" "$work/out"
done
for step in 1 2 3; do
    SHARED=8 begin_shared
    XDG_CONFIG_HOME=$work/conf timeout 100 "$rogue_jobs" "$backend" $step 1 bereaved >"$work/rogue" 2>&1 || fail "step $step: $(cat "$work/rogue")"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" || true
    pid=
done
echo 'passed: the server is killed during jobs'
