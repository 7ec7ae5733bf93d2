#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-serve: programs that use it have the same output as alone, even if the server fails or
# other clients misbehave.  Afterwards no process and no file is left.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"

# Without a server, server:only must give no device.
client "$served" products 1 20000 3 >"$work/none" 2>"$work/none.err"
grep -q '^mpgpu: device: .*mpgpu' "$work/none.err" || fail "it does not say why: $(cat "$work/none.err")"
[ "$(sent "$work/none.err")" -eq 0 ] || fail 'a device without a server'
"$served" products 1 20000 3 >"$work/alone"
same "$work/alone" "$work/none"
echo 'passed: no server'

# Runs several clients at the same time. Products of 500000 bits are jobs on every device. A GPU
# computes shorter products in slots of shared memory, without jobs (lib/multiply/direct.c).
begin
for bits in 500000 40000; do
    for seed in 1 2 3; do
        "$served" products $seed $bits 20 >"$work/alone.$seed"
        client "$served" products $seed $bits 20 >"$work/out.$seed" 2>"$work/err.$seed" &
        eval "client$seed=\$!"
    done
    for seed in 1 2 3; do
        eval "wait \$client$seed" || fail "client $seed fails: $(cat "$work/err.$seed")"
        same "$work/alone.$seed" "$work/out.$seed"
        by_server "$work/err.$seed"
    done
    [ "$(grep -c 'is gone: .* [1-9][0-9]* jobs' "$work/log")" -ge 3 ] || sleep 1
    [ "$(grep -c 'is gone: .* [1-9][0-9]* jobs' "$work/log")" -ge 3 ] ||
        fail "the server has done nothing: $(cat "$work/log")"
done
echo 'passed: three programs at once'

# A second server must refuse to start and must not disturb the first.
MPGPU_CONF=backend:$backend "$serve" || fail 'a second server fails'
MPGPU_CONF=backend:$backend "$serve" --foreground 2>"$work/err" && fail 'a second server in the foreground succeeds'
grep -q 'another server runs here' "$work/err" || fail "a second server says: $(cat "$work/err")"
grep 'nothing that a client says' "$work/log" && fail 'a second server is a stranger to the first'
"$serve" --list | grep -q "^process $pid," || fail "another server: $("$serve" --list)"
echo 'passed: one server'

# A client that asks for a device which the server does not have must compute by GMP.
CONF=device:nosuch client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
same "$work/none" "$work/out"
grep -q '^mpgpu: device: mpgpu-serve has another device' "$work/err" || fail "it says: $(cat "$work/err")"
echo 'passed: another device'

# Calls every intercepted function in several threads.
CONF=mul:1,sqr:1,mulmod:1,add:1 client "$builddir/tests/differential/differential" --backend "$backend" \
    --count 100 --max-limbs 1000 --threads 4 >"$work/out" 2>"$work/err" || fail "differential: $(cat "$work/out")"
by_server "$work/err"
echo 'passed: all functions'

# Numbers in the shared pool must stay private to each process after fork.
CONF=pool:256M client "$served" fork >"$work/fork" 2>"$work/fork.err" || fail "fork: $(cat "$work/fork")"
by_server "$work/fork.err"
grep -q '^mpgpu: pool: [1-9]' "$work/fork.err" || fail "the pool was not used: $(cat "$work/fork.err")"
echo 'passed: fork'

# Children of fork, and their children, must have connections of their own, so that all compute at
# the same time.
mkdir -p "$work/alone.d" "$work/children"
"$served" children "$work/alone.d" 10 100000 50 >"$work/alone"
SERVER=auto CONF=pool:256M client "$served" children "$work/children" 10 100000 50 >"$work/out" 2>"$work/err" ||
    fail "children: $(cat "$work/out" "$work/err")"
same "$work/alone" "$work/out"
[ "$(grep -c '^mpgpu: device: .*by mpgpu-serve' "$work/err")" -eq 7 ] || fail "devices of children: $(cat "$work/err")"
[ "$(grep -c '^mpgpu: mpz_mul  *[1-9][0-9]*  *[1-9]' "$work/err")" -eq 7 ] ||
    fail "a child sends nothing: $(cat "$work/err")"
grep -q '^mpgpu: mpz_mul.*forked' "$work/err" && fail "GMP's in children: $(cat "$work/err")"
SERVER=off client "$served" children "$work/children" 10 100000 50 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
[ "$(grep -c '^mpgpu: mpz_mul.*forked' "$work/err")" -eq 6 ] || fail "without a server: $(cat "$work/err")"
echo 'passed: children of fork'

# Forks children that exit while their device is still being opened.
for seed in 1 2 3 4 5; do
    "$served" children "$work/alone.d" ${seed}0 20000 1 >"$work/alone"
    MPGPU_CONF="backend:$backend,open:now,mul:100,sqr:100,server:auto" LD_PRELOAD=$library \
        timeout 60 "$served" children "$work/children" ${seed}0 20000 1 >"$work/out" 2>"$work/err" ||
        fail "short children: $(cat "$work/out" "$work/err")"
    same "$work/alone" "$work/out"
done
echo 'passed: children that end soon'

# A process that executes another program must no longer be a client.
client "$served" exec 3 >"$work/out" 2>&1 &
another=$!
sleep 2
"$serve" --list >"$work/list"
[ "$(wc -l <"$work/list")" -eq 1 ] || fail "it stays a client: $(cat "$work/list")"
kill -0 $another || fail 'it has ended: nothing is tested'
wait $another
grep ' is gone: ' "$work/log" | tail -n 1 | grep -q ' (served) is gone: .* [1-9][0-9]* jobs' ||
    fail "it was none: $(cat "$work/log")"
echo 'passed: exec'

# The server must copy operands and results directly from and to the client's pool.
"$served" products 8 1000000 30 >"$work/alone"
CONF=pool:256M client "$served" products 8 1000000 30 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_server "$work/err"
grep -q '^mpgpu: pool: [1-9].* [1-9][0-9]* page-locked' "$work/err" ||
    fail "the pool is not the server's: $(cat "$work/err")"
echo 'passed: the pool'

# A program whose first call is long waits some milliseconds for the running server's answer.  On a
# busy machine that may be too short, so the test tries several times.
"$served" products 9 30000000 1 >"$work/alone"
first_call() {
    CONF=open:background client "$served" products 9 30000000 1 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
}
for _ in 1 2 3 4 5; do
    first_call
    [ "$(sent "$work/err")" -eq 0 ] || break
done
by_server "$work/err"
kill -STOP "$pid"
first_call
kill -CONT "$pid"
[ "$(sent "$work/err")" -eq 0 ] || fail "a stopped server computes: $(cat "$work/err")"
echo 'passed: a long first call'

# Clients that send invalid requests must be disconnected; a valid client that works at the same
# time must not be disturbed.
"$served" products 5 200000 40 >"$work/alone"
client "$served" products 5 200000 40 >"$work/out" 2>"$work/err" &
good=$!
timeout 600 "$rogue" slow >"$work/slow" &
slow=$!
timeout 600 "$rogue" idle >"$work/idle" &
idle=$!
for mode in version strangers silent descriptors channels shrink nonsense flood; do
    timeout 600 "$rogue" $mode >"$work/rogue" || fail "$mode: $(cat "$work/rogue" "$work/log")"
done
timeout 600 "$rogue" die && fail 'it lives'
wait $good || fail "the good client fails: $(cat "$work/err")"
same "$work/alone" "$work/out"
by_server "$work/err"
wait $slow || fail "slow: $(cat "$work/slow" "$work/log")"
wait $idle || fail "idle: $(cat "$work/idle" "$work/log")"
kill -0 "$pid" || fail "the server has ended: $(cat "$work/log")"
[ "$(grep -c 'is dropped' "$work/log")" -ge 2 ] || fail "nobody was dropped: $(cat "$work/log")"
all_are_gone
echo 'passed: clients that send nonsense'

# Connects many clients to the server, if there is enough memory: each needs 24 MiB.
if awk '$1 == "MemAvailable:" && $2 > 4e6 { found = 1 } END { exit !found }' /proc/meminfo; then
    timeout 600 "$rogue" crowd >"$work/rogue" || fail "many clients: $(cat "$work/rogue")"
    all_are_gone
    echo 'passed: the list of many clients'
fi

# Kills a client in the middle of its work.
client "$served" products 6 200000 1000000 >/dev/null 2>&1 &
killed=
for try in 1 2 3 4 5 6 7 8 9 10; do
    killed=$("$serve" --list | sed -n '2s/ .*//p')
    [ -z "$killed" ] || break
    sleep "0.$try"
done
sleep 0.5
kill -9 "$killed" || fail 'there is no client'
all_are_gone
end
echo 'passed: the end'

# Several processes ask the server to end at the same time: each must get an answer, even if the
# server is already ending.
for round in 1 2 3 4 5 6; do
    begin
    asking=
    for i in 1 2 3 4 5 6; do
        "$serve" --end 2>"$work/end$i" &
        asking="$asking $!"
    done
    i=0
    for one in $asking; do
        i=$((i + 1))
        wait "$one" || grep -q 'No such file' "$work/end$i" || fail "round $round: --end: $(cat "$work/end$i")"
    done
    wait "$pid" || fail "the server's exit status: $(cat "$work/log")"
    pid=
done
echo 'passed: asked to end by several'

# A server that is started with a umask of 0777 must create a folder that it and later servers can
# use.
rm -rf "$runtime/mpgpu"
(umask 0777 && MPGPU_CONF=backend:$backend "$serve") || fail 'a server with umask 0777'
[ "$(stat -c %a "$runtime/mpgpu")" = 700 ] || fail "its folder: $(stat "$runtime/mpgpu")"
"$serve" --end
echo 'passed: a umask'

# Tests a server with several devices: PoCL shows its device twice, because a machine may have only
# one GPU. A client's option `device` must use the server's numbers of devices.
one=${POCL_DEVICES:-basic}
export POCL_DEVICES='basic basic'
SERVER_CONF=device:all begin
"$served" threads 11 100000 60 4 >"$work/alone"
CONF=device:all client "$served" threads 11 100000 60 4 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_server "$work/err"
if grep -q '^device 1: ' "$work/list"; then
    for device in 0 1; do
        grep -q "^mpgpu: device $device: [1-9]" "$work/err" || fail "device $device has had nothing: $(cat "$work/err")"
    done
    CONF=device:1 client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/none" "$work/out"
    by_server "$work/err"
fi
CONF=device:0+77 client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
same "$work/none" "$work/out"
by_server "$work/err"
grep -q '^mpgpu: device:0+77: `77` is no device here' "$work/err" || fail "it says: $(cat "$work/err")"
end
POCL_DEVICES=$one
echo 'passed: several devices'

# strike SERVER SIGNAL OPTIONS: runs a client that computes for a while; sends SIGNAL to the server
# as soon as the client has the device.
strike() {
    begin
    : >"$work/err" # the loop below must not find old text
    SERVER=$1 CONF=log:2,$3 client "$served" products 10 200000 "$many" >"$work/out" 2>"$work/err" &
    good=$!
    for _ in $(seq 1800); do
        grep -q 'by mpgpu-serve (' "$work/err" && break
        kill -0 $good 2>/dev/null || break
        sleep 0.1
    done
    sleep 0.3
    kill "-$2" "$pid"
    wait $good || fail "the client of a server that got $2: $(cat "$work/err")"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    pid=
    same "$work/alone" "$work/out"
}
many=6000 # the number of products: PoCL computes them in 3 s, a GPU in 1.2 s
grep -q '(the CPU)' "$work/err" || many=20000
"$served" products 10 200000 "$many" >"$work/alone"

# The server is killed, or stops answering, during the work: results must be GMP's. If the server
# does not answer in the watchdog's time, the client gives it up. On a busy machine this may happen
# before any product was sent. The list $2 has several watchdog times, which are tried in turn.
leaves_alone() {
    for seconds in $2; do
        strike "${3-only}" "$1" "watchdog:$seconds"
        [ "$(sent "$work/err")" -eq 0 ] || break
    done
    [ "$(sent "$work/err")" -gt 0 ] || fail "$1: nothing was sent: $(cat "$work/err")"
    grep -q '^mpgpu: device: left alone' "$work/err" || fail "$1: not in the midst: $(cat "$work/err")"
    echo "passed: the server gets $1"
}
leaves_alone KILL 600
grep -q '^mpgpu: device: left alone: .*mpgpu-serve has ended' "$work/err" || fail "KILL: why: $(cat "$work/err")"
leaves_alone STOP '1 5 25 125'

# With server:auto, too, a program whose server was killed must not open a device itself.
leaves_alone KILL 600 auto

# The killed server's socket still exists. A program that may start no server must compute by GMP; a
# new server must replace the socket.
[ -S "$socket" ] || fail 'the killed server left no socket: nothing is tested'
(
    ulimit -t 100000 # this limit makes the library start no server
    SERVER=auto client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
"$served" products 1 20000 3 >"$work/alone"
cp "$work/alone" "$work/alone3"
same "$work/alone" "$work/out"
grep -q 'by mpgpu-serve' "$work/err" && fail 'by a server that is dead'
by_gmp "$work/err"
begin
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_server "$work/err"
echo 'passed: a stale socket'

# A program must not wait for a server that is stopped.
kill -STOP "$pid"
start=$(date +%s)
SERVER=auto client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
took=$(($(date +%s) - start))
kill -CONT "$pid"
same "$work/alone3" "$work/out"
grep -q "^mpgpu: mpgpu-serve (process $pid) is stopped" "$work/err" || fail "it says: $(cat "$work/err")"
[ "$took" -lt 15 ] || fail "$took s with a server that is stopped"
by_gmp "$work/err"
echo 'passed: a server that is stopped'

# A program that temporarily has no free descriptor must stay a client.
client "$builddir/tests/process/troubled" files >"$work/out" 2>"$work/err" || fail "no descriptor: $(cat "$work/out" "$work/err")"
by_server "$work/err"
grep 'left alone' "$work/err" && fail 'without a descriptor the server is taken for dead'
echo 'passed: a program without descriptors'

# A thread that waits for a hanging server must not delay fork in another thread.
CONF=log:1,watchdog:1,pool:256M client "$builddir/tests/process/troubled" fork "$pid" >"$work/out" 2>"$work/err" ||
    fail "fork with a server that hangs: $(cat "$work/out" "$work/err")"
kill -CONT "$pid"
grep -q '^mpgpu: device: left alone: it does not answer' "$work/err" || fail "it has not hung: $(cat "$work/err")"
echo 'passed: fork with a server that hangs'

# mpgpu-run --serve must start a server, and mpgpu-info must show it.
"$serve" --end
wait "$pid" || fail "the server's exit status: $(cat "$work/log")"
pid=
MPGPU_CONF=backend:$backend,mul:100,stats:text,server:only "$run" --wait --serve "$served" products 1 20000 3 \
    >"$work/out" 2>"$work/err"
same "$work/alone3" "$work/out"
by_server "$work/err"
MPGPU_CONF=backend:$backend "$builddir/tools/mpgpu-info" >"$work/info"
grep -A 1 '^server$' "$work/info" | grep -q '^  process [0-9]*, version' ||
    fail "mpgpu-info does not show the server: $(cat "$work/info")"
"$serve" --end
for try in 1 2 3 4 5 6 7 8 9; do
    [ -e "$socket" ] || break
    sleep 0.5
done
[ ! -e "$socket" ] || fail "$socket stays behind"
"$builddir/tools/mpgpu-info" 2>&1 | grep -q '^no server' || fail 'mpgpu-info shows a server that is gone'
echo 'passed: mpgpu-run --serve, mpgpu-info'

# Idle, it ends.
begin --idle 2
for try in 1 2 3 4 5 6 7 8; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.5
done
kill -0 "$pid" 2>/dev/null && fail 'it does not end when idle'
wait "$pid" || fail "the server's exit status: $(cat "$work/log")"
pid=
[ ! -e "$socket" ] || fail "$socket stays behind"
echo 'passed: idle'

# The server is started by a socket that exists before it, as by systemd. It must accept the client
# that has connected, or tell it that there is no device. Otherwise the client would wait for 20 s,
# and systemd would start the server again.
MPGPU_CONF=backend:$backend timeout 60 "$builddir/tests/process/activated" "$serve" >"$work/rogue" || fail "activated: $(cat "$work/rogue")"
grep -qx 'let in' "$work/rogue" || fail "activated: $(cat "$work/rogue")"
MPGPU_CONF=backend:none timeout 60 "$builddir/tests/process/activated" "$serve" >"$work/rogue" 2>"$work/err" || fail "activated: $(cat "$work/rogue")"
grep -q '^mpgpu-serve: no device opens: ' "$work/rogue" || fail "activated: $(cat "$work/rogue")"
echo 'passed: started by a socket'

# A server that was started with closed descriptors 0 to 2 must open nothing under these numbers,
# and must end by a signal.
MPGPU_CONF=backend:$backend "$serve" <&- >&- 2>&- || fail 'closed descriptors'
pid=$("$serve" --list | sed -n '1s/process \([0-9]*\),.*/\1/p')
kill "$pid"
for try in 1 2 3 4 5 6 7 8 9; do
    [ -e "$socket" ] || break
    sleep 0.5
done
[ ! -e "$socket" ] || fail 'it does not end by a signal'
pid=
echo 'passed: closed descriptors'

# The server must refuse to use a folder that others can read.
chmod 755 "$runtime/mpgpu"
MPGPU_CONF=backend:$backend "$serve" 2>"$work/err" && fail 'in a folder that others can read'
grep -q 'not a folder of this user alone' "$work/err" || fail "it says: $(cat "$work/err")"
chmod 700 "$runtime/mpgpu"
long=$runtime/$(printf '%0100d' 0)
XDG_RUNTIME_DIR=$long MPGPU_CONF=backend:$backend "$serve" 2>"$work/err" && fail 'in a folder that is too long'
grep -q "$long is too long" "$work/err" || fail "it says: $(cat "$work/err")"
echo 'passed: the folder'
