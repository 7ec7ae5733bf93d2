#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests clients of mpgpu-serve that send whole operations as jobs.  The unit tests of all operations
# must pass for clients, whether or not the server sees the operands' memory.  Clients with invalid
# jobs must be refused or disconnected, while other clients get right results.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
unit=$builddir/tests/unit
rogue_jobs=$builddir/tests/process/rogue_jobs
[ -x "$rogue_jobs" ] || skip 'no client with such jobs in this build'

# The options file sets only `watchdog` and `server`; the unit tests set all other options
# themselves.
mkdir -p "$work/conf/mpgpu-gmp"
printf 'watchdog:600\nserver:only\n' >"$work/conf/mpgpu-gmp/mpgpu.conf"

# as_client PROGRAM BYTES: runs a unit test as a client. Operands longer than BYTES stay in memory
# that the server does not see.
as_client() {
    XDG_CONFIG_HOME=$work/conf MPGPU_TEST_BACKENDS=$backend MPGPU_TEST_FAR_BYTES=$2 timeout 600 "$unit/$1" \
        >"$work/out" 2>&1 || fail "$1 as a client, $2: $(tail -n 20 "$work/out")"
    grep -q 'Checks: [1-9]' "$work/out" || fail "$1 has no checks: $(cat "$work/out")"
}

begin
export MPGPU_TEST_COMPOSITES=2 MPGPU_TEST_CHAINS=2 MPGPU_TEST_TREES=4
MPGPU_TEST_ONLY=variants as_client job/test_jobs 0 # batches are in device memory, so BYTES does not matter
for bytes in 262144 0; do
    MPGPU_TEST_ONLY=random_sizes as_client job/test_composites $bytes
    as_client compat/test_number $bytes
    as_client compat/test_mandelbrot $bytes
    as_client trees/test_tree $bytes
    as_client trees/test_split $bytes
    echo "passed: jobs of clients, $bytes bytes"
done
all_are_gone
grep -q 'is dropped' "$work/log" && fail "a client was dropped: $(cat "$work/log")"

# Checks that operations on batches, numbers and trees are sent as jobs only, without separate
# requests for device memory. The server may time jobs only for a client with statistics: timing
# delays this client.
client "$served" products 1 200000 3 >"$work/out" 2>"$work/err"
by_server "$work/err"
for seed in 1 2; do
    timeout 100 "$rogue_jobs" "$backend" $seed 1 counted >"$work/out" 2>&1 || fail "seed $seed: $(cat "$work/out")"
done
echo 'passed: jobs alone'

# Checks that a client's options apply to its jobs. With little device memory, either GMP computes a
# product, or the device computes the product in parts.
"$served" products 1 4000000 2 >"$work/alone"
for options in algorithm:ssa algorithm:fft algorithm:ntt clear:true memory:2500000 memory:3000000 memory:5M; do
    CONF=$options client "$served" products 1 4000000 2 >"$work/out" 2>"$work/err" || fail "$options: $(cat "$work/err")"
    same "$work/alone" "$work/out"
    grep -q ' failed [1-9]' "$work/err" && fail "$options: $(cat "$work/err")"
    case $options in
    algorithm:*) grep -q " ${options#*:} [1-9]" "$work/err" || fail "$options: not by it: $(cat "$work/err")" ;;
    clear:*) by_server "$work/err" ;;
    memory:*) awk '/^mpgpu: mpz_mul / { exit !(/ memory [1-9]/ || / ntt / && ntt($0) > $4) }
        function ntt(line) { sub(/.* ntt /, "", line); return line + 0 }' "$work/err" ||
        fail "$options: all memory was used: $(cat "$work/err")" ;;
    esac
done
# A handler forks while a small product is being computed in memory that is shared with the server.
# Child and parent must both finish the product.
status=0
CONF=dispatch:fixed client "$builddir/tests/process/interrupts" fork >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 5 ] || fail "fork: $status $(cat "$work/out" "$work/err")"
grep -qx 'children made in handlers' "$work/out" || fail "fork: $(cat "$work/out" "$work/err")"
by_server "$work/err"
all_are_gone
echo 'passed: options of clients'

# Runs misbehaving clients of all kinds, while a well-behaved client works at the same time.
"$served" quotients 5 100000 10 >"$work/alone"
seed=${MPGPU_TEST_SEED:-$(date +%s)}
{
    timeout 600 "$rogue_jobs" "$backend" "$seed" "${MPGPU_TEST_ROGUES:-26}" &&
        timeout 300 "$builddir/tests/process/rogue_slots" "$backend" "$seed" "${MPGPU_TEST_ROGUES:-13}"
} >"$work/rogue" 2>&1 &
rogues=$!
rounds=0
while kill -0 $rogues 2>/dev/null; do
    sleep 0.5 # leaves CPU time to the misbehaving clients
    CONF=div:100 client "$served" quotients 5 100000 10 >"$work/out" 2>"$work/err" || fail "the good client: $(cat "$work/err")"
    same "$work/alone" "$work/out"
    by_server "$work/err"
    grep 'fault' "$work/err" && fail 'the good client has found a fault'
    rounds=$((rounds + 1))
done
wait $rogues || fail "seed $seed: $(cat "$work/rogue" "$work/log")"
kill -0 "$pid" || fail "the server has ended: $(cat "$work/log")"
grep -q 'is dropped' "$work/log" || fail "nobody was dropped: $(cat "$work/log")"
grep 'fault .* of the device\|left alone' "$work/log" && fail 'a client counts as a fault of the device'
all_are_gone
end
echo "passed: clients with other jobs, $rounds rounds beside them"

# Kills the server while a job waits for its client's answer, or while threads of the client copy
# operands or results.
for step in 1 2 3 4 5 6; do
    begin
    timeout 100 "$rogue_jobs" "$backend" $step 1 bereaved >"$work/rogue" 2>&1 || fail "step $step: $(cat "$work/rogue")"
    kill "$pid" 2>/dev/null || true
    status=0
    wait "$pid" || status=$?
    pid=
    [ $status -eq 137 ] || fail "step $step: the server was not killed: $(cat "$work/log")"
done
echo 'passed: the server is killed during jobs'
