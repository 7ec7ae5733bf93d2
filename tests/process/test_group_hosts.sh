#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests a group of servers on two hosts, emulated by network namespaces. The servers find each other
# by a file and exchange jobs by UCX over TCP. Programs get GMP's results, even if a server fails or
# its answers are wrong.
. "$(dirname "$0")/../support/common.sh"
serve=$builddir/tools/mpgpu-serve
served=$builddir/tests/process/served
[ -x "$builddir/tests/process/roguemember" ] || skip 'no UCX in this build'
need_command ip
backend=$(backends | head -n 1)
[ -n "$backend" ] || skip 'no device on this machine'

name=mpgpu$$
runtime=$(mktemp -d /tmp/mpgpu-test-hosts.XXXXXX)
mkdir -m 700 "$runtime/a" "$runtime/b"
export POCL_DEVICES=basic UCX_TLS=tcp
stop() {
    for host in a b; do
        for pid in $(ip netns pids "$name$host" 2>/dev/null); do
            kill -9 "$pid" 2>/dev/null || true
        done
        ip netns del "$name$host" 2>/dev/null || true
    done
    rm -rf "$runtime"
}
trap stop EXIT
ip netns add "${name}a" 2>/dev/null || skip 'network namespaces are not permitted'
ip netns add "${name}b"
ip -n "${name}a" link add host type veth peer name host netns "${name}b" 2>/dev/null ||
    skip 'no pair of virtual Ethernet devices'
for host in a b; do
    ip -n "$name$host" addr add "10.99.0.$([ $host = a ] && echo 1 || echo 2)/24" dev host
    ip -n "$name$host" link set host up
    ip -n "$name$host" link set lo up
done

for host in a b; do
    for _ in $(seq 50); do
        ip -n "$name$host" link show host | grep -q 'state UP' && break
        sleep 0.1
    done
done

# Writes the group's file. Port 7001 is for a third member: the test program roguemember.
{
    echo "key $(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')"
    echo '10.99.0.1 7000 # the first host'
    echo '10.99.0.2 7000'
    echo '10.99.0.1 7001'
} >"$runtime/group"
chmod 600 "$runtime/group"

# Starts a server on host $1 in the foreground, with program $2 in place of mpgpu-serve; its log is
# $work/log.HOST.
begin() {
    XDG_RUNTIME_DIR=$runtime/$1 MPGPU_CONF="backend:$backend,device:0,log:2,watchdog:${WATCHDOG-30}" \
        ip netns exec "$name$1" "${2-$serve}" --foreground --group "$runtime/group" >>"$work/log.$1" 2>&1 &
    if [ "$1" = a ]; then
        host_a=$!
    else
        host_b=$!
    fi
}
list() { XDG_RUNTIME_DIR=$runtime/a "$serve" --list 2>/dev/null; }
await() {
    for _ in $(seq 150); do
        list >"$work/list" && eval "$1" && return
        sleep 0.1
    done
    fail "not so in time: $1: $(cat "$work/list" "$work/log.a" "$work/log.b")"
}
both_there() { await 'grep -q "^device 1: .*, of another member$" "$work/list"'; }
other_gone() { await 'grep -q "^device 1: .*, which has failed$" "$work/list"'; }
said() { await "grep -q '$1' '$work/log.a'"; }

# Runs a program on the first host, on the devices of the list $DEVICE.
client() {
    XDG_RUNTIME_DIR=$runtime/a MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:100,sqr:100,stats:text,server:only,device:${DEVICE-all},${CONF-log:1}" \
        LD_PRELOAD=$library timeout 300 "$@"
}
by_other() {
    grep -q '^mpgpu: device 1: [1-9]' "$1" || fail "the other host has had nothing: $(cat "$1")"
}

begin a
begin b
both_there
"$served" products 1 40000 10 >"$work/alone"
DEVICE=1 client "$served" products 1 40000 10 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
[ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
"$served" products 2 8000000 2 >"$work/alone"
DEVICE=1 client "$served" products 2 8000000 2 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
"$served" threads 2 100000 40 4 >"$work/alone"
client "$served" threads 2 100000 40 4 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_other "$work/err"
echo 'passed: products'

# The other host computes whole quotients. Batches stay on the first host's device, except powers.
"$served" quotients 2 900000 3 >"$work/alone"
DEVICE=1 client "$served" quotients 2 900000 3 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
grep -q '^mpgpu: mpz_tdiv_q .* whole' "$work/err" || fail "no quotient was sent: $(cat "$work/err")"
MPGPU_CONF=backend:none "$builddir/examples/inverses" 2048 16 >"$work/alone" 2>/dev/null || fail 'inverses by GMP'
CONF=batch:1 client "$builddir/examples/inverses" 2048 16 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
DEVICE=1 CONF=batch:1 client "$builddir/examples/inverses" 2048 16 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
MPGPU_CONF=backend:none "$builddir/tests/process/arrays" 3 4 1000 >"$work/alone" || fail 'arrays by GMP'
for device in all 1; do
    DEVICE=$device CONF=batch:1,verify:device,log:3 client "$builddir/tests/process/arrays" 3 4 1000 >"$work/out" 2>"$work/err" ||
        fail "arrays, device:$device: $(cat "$work/err")"
    same "$work/alone" "$work/out"
    [ $device = 1 ] || by_other "$work/err"
    grep -q 'a batch of 1000 numbers on [12] devices of a group' "$work/err" || fail "no power crosses: $(cat "$work/err")"
    ! grep -q 'operation not done\|fault' "$work/err" || fail "not in order: $(cat "$work/err")"
done
echo 'passed: quotients, batches'

XDG_RUNTIME_DIR=$runtime/a MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:1,sqr:1,mulmod:1,add:1,stats:text,server:only,device:1" \
    LD_PRELOAD=$library timeout 600 "$builddir/tests/differential/differential" --backend "$backend" \
    --count 100 --max-limbs 1000 --threads 3 >"$work/out" 2>"$work/err" || fail "differential: $(cat "$work/out")"
[ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
echo 'passed: all functions'

# Sends messages that a valid member never sends; the server that gets them must continue.
ip netns exec "${name}a" timeout 120 "$builddir/tests/process/roguemember" "$runtime/group" 1 "${MPGPU_TEST_SEED:-1}" 300 \
    2>"$work/rogue" || fail "roguemember: $(cat "$work/rogue" "$work/log.b")"
kill -0 "$host_b" || fail 'the member has ended'
grep -q 'a job of another member is none' "$work/log.b" || fail 'the member has refused nothing'
grep -q 'a message that no member sends is dropped' "$work/log.b" || fail 'a message without the token was read'
both_there
echo 'passed: messages that no member sends'

# Sends a signal to the other server while a program computes. The first server must find it again
# when it has restarted or continues.
"$served" threads 5 200000 1500 4 >"$work/alone5"
for signal in KILL STOP; do
    client "$served" threads 5 200000 1500 4 >"$work/out" 2>"$work/err" &
    program=$!
    await 'grep -q " served:" "$work/list"'
    sleep 0.7
    kill -$signal "$host_b"
    wait $program || fail "a member that got $signal: $(cat "$work/err")"
    same "$work/alone5" "$work/out"
    by_other "$work/err"
    grep -q '^mpgpu: device 0: .*left alone' "$work/err" && fail "$signal: device 0 is left alone: $(cat "$work/err")"
    other_gone
    if [ $signal = KILL ]; then
        wait "$host_b" 2>/dev/null || true
        sleep 0.5
        begin b
    else
        kill -CONT "$host_b"
    fi
    both_there
    said ': rank 1 on 10.99.0.2 is here again$'
    echo "passed: a member gets $signal"
done

# Kills the other server while it computes numbers of a batch of powers: another device must compute
# these again.
MPGPU_CONF=backend:none "$builddir/tests/process/arrays" 4 4 2000 >"$work/alone4"
CONF=batch:1,log:3 client "$builddir/tests/process/arrays" 4 4 2000 >"$work/out" 2>"$work/err" &
program=$!
await 'grep -q " arrays:" "$work/list"'
sleep 2
kill -KILL "$host_b"
wait $program || fail "a member is killed in a power: $(cat "$work/err")"
same "$work/alone4" "$work/out"
grep -q 'a batch of 2000 numbers on 2 devices of a group' "$work/err" || fail "no power crosses: $(cat "$work/err")"
other_gone
wait "$host_b" 2>/dev/null || true
begin b
both_there
echo 'passed: a member is killed in a power'
said ': rank 1 on 10.99.0.2 has ended: its devices are left alone$'
said ': rank 1 on 10.99.0.2 does not answer: its devices are left alone$'

# Replaces the other server by a test program whose answers are wrong or missing. The first server
# must notice this and no longer use that program's devices.
try_bad() {
    kill "$host_b"
    other_gone
    wait "$host_b" || true
    export MPGPU_TEST_MEMBER="$1"
    begin b "$builddir/tests/process/badmember"
    both_there
    client "$served" threads 2 100000 40 4 >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/err")"
    "$served" threads 2 100000 40 4 >"$work/alone"
    same "$work/alone" "$work/out"
    said ": rank 1 on 10.99.0.2 $2: its devices are left alone\$"
    echo "passed: a member that $1"
}
try_bad spoils 'has sent a result with another residue'
try_bad shortens 'has sent an answer of another length'
# The first server is restarted with a short watchdog, so that a missing answer is noticed soon.
kill "$host_a"
wait "$host_a" || true
WATCHDOG=2 begin a
both_there
try_bad hangs 'has not answered a job in time'
unset MPGPU_TEST_MEMBER

# Another key.
kill "$host_b"
other_gone
wait "$host_b" || true
sed "s/^key .*/key $(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')/" "$runtime/group" >"$runtime/other"
chmod 600 "$runtime/other"
XDG_RUNTIME_DIR=$runtime/b MPGPU_CONF="backend:$backend,device:0,log:2" \
    ip netns exec "${name}b" "$serve" --foreground --group "$runtime/other" >"$work/log.b" 2>&1 &
host_b=$!
sleep 5
grep -q 'says nothing that a member says' "$work/log.b" || fail "another key: $(cat "$work/log.b")"
list >"$work/list"
grep -q '^device 1: .*, which has failed$' "$work/list" || fail "another key: $(cat "$work/list")"
echo 'passed: another key'

# Checks that the server refuses a group file which other users may read.
chmod 644 "$runtime/group"
"$serve" --foreground --group "$runtime/group" 2>"$work/err" && fail 'a file that others may read'
grep -q 'nobody else may read' "$work/err" || fail "it says: $(cat "$work/err")"
echo 'passed: a file that others may read'
