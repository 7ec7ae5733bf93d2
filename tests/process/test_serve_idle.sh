#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A server closes devices that nobody uses, even while programs stay connected, and opens them again
# when they are needed. Results must be GMP's, and computed by the server, before and after.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
export POCL_DEVICES=basic

# Succeeds if $1 occurs at least $2 times in the server's log.
said() { [ "$(grep -c "$1" "$work/log")" -ge "$2" ]; }
await() {
    for try in $(seq 480); do
        "$serve" --list >"$work/list" && eval "$1" && return
        sleep 0.25
    done
    fail "not so in time: $1: $(cat "$work/list" "$work/log")"
}
kib() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }

begin --close 1 --idle 0
await 'grep -q "closed while nobody uses it" "$work/list"'
echo 'passed: closed without a client'

# Programs compute small products, which are sent in slots (places in shared memory), and larger
# products, which are sent as jobs. Each program then pauses for 8 s, so that the server closes
# the devices, even on a busy machine.
for bits in 20000 400000; do
    "$served" pauses 3 $bits 8 >"$work/alone.$bits"
    client "$served" pauses 3 $bits 8 >"$work/out.$bits" 2>"$work/err.$bits" &
    programs="${programs-} $!"
done
await 'said "devices are opened again" 1 && said "devices are closed while" 2 && grep -q served "$work/list"'
echo "passed: closed with clients, at $(kib) KiB"
for program in $programs; do
    wait "$program" || fail "a program: $(cat "$work"/err.*)"
done
for bits in 20000 400000; do
    same "$work/alone.$bits" "$work/out.$bits"
    by_server "$work/err.$bits"
    ! grep -q 'left alone\|fault\|no device' "$work/err.$bits" || fail "not in order: $(cat "$work/err.$bits")"
done
said 'devices are opened again' 2 || fail "not opened again: $(cat "$work/log")"
echo 'passed: opened again'

# Ends or kills a client while the devices are closed. This must not open the devices. A later
# client must be able to use them.
for way in TERM KILL; do
    client "$served" pauses 4 20000 60 >"$work/out" 2>"$work/err" &
    program=$!
    count=$(grep -c 'devices are closed while' "$work/log")
    await 'said "devices are closed while" $((count + 1)) && grep -q served "$work/list"'
    kill -$way "$(awk '/ served:/ { print $1 }' "$work/list")"
    wait $program || true
    all_are_gone
    grep -q 'closed while nobody uses it' "$work/list" || fail "$way: a client that ends opens them: $(cat "$work/log")"
    client "$served" products 5 400000 3 >"$work/out" 2>"$work/err"
    "$served" products 5 400000 3 >"$work/alone"
    same "$work/alone" "$work/out"
    by_server "$work/err"
done
echo 'passed: clients that end and come meanwhile'

# While a program has a batch on the device, the devices must stay open, because closing would lose
# its numbers.
count=$(grep -c 'devices are closed while' "$work/log")
CONF=batch:1 client "$builddir/tests/process/arrays" 3 4 100 3 >"$work/out" 2>"$work/err" || fail "arrays: $(cat "$work/err")"
MPGPU_CONF=backend:none "$builddir/tests/process/arrays" 3 4 100 >"$work/alone"
same "$work/alone" "$work/out"
[ "$(grep -c 'devices are closed while' "$work/log")" -eq "$count" ] || fail 'closed although a batch is there'
grep -q '^mpgpu: mpgpu_batch_mod_pow  *[0-9]*  *[1-9]' "$work/err" || fail "not sent: $(cat "$work/err")"
await 'said "devices are closed while" $((count + 1))'
echo 'passed: batches'
end
