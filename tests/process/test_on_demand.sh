#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests server:auto: a program starts mpgpu-serve if none runs. The server is detached, serves all
# programs, and outlives the program. Without a server GMP computes.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
contacts=$builddir/tests/process/contacts
SERVER=auto
# Prints the process numbers of servers started by this test: their environment names the test's
# folder.
servers() {
    for p in /proc/[0-9]*; do
        [ "$(readlink "$p/exe" 2>/dev/null)" = "$(readlink -f "$serve")" ] || continue
        tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qx "XDG_RUNTIME_DIR=$runtime" && basename "$p"
    done || true
}
end_all() {
    "$serve" --end 2>/dev/null || true
    for server in $(servers); do
        kill -9 "$server" 2>/dev/null || true
    done
    stop
}
trap end_all EXIT

client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
"$served" products 1 20000 3 >"$work/alone"
same "$work/alone" "$work/out"
by_server "$work/err"
[ "$(servers | wc -l)" -eq 1 ] || fail "servers: $(servers)"
echo 'passed: a program starts a server'

# A program in which pthread_create fails must also start a server and use it.
"$serve" --end
threadless=$builddir/tests/process/threadless
for what in products elsewhere; do
    "$threadless" $what 1 20000 3 >"$work/alone.out"
    client "$threadless" $what 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/alone.out" "$work/out"
    by_server "$work/err"
done
"$serve" --end
"$threadless" pauses 1 2000000 4 >"$work/alone.out"
CONF=log:1,open:background,dispatch:fixed client "$threadless" pauses 1 2000000 4 >"$work/out" 2>"$work/err"
same "$work/alone.out" "$work/out"
by_server "$work/err"
[ "$(servers | wc -l)" -eq 1 ] || fail "servers: $(servers)"
echo 'passed: without threads'

# Programs started by mpgpu-run, whose preloaded library may be a symbolic link, must find the
# server program, too.
"$serve" --end
mkdir -p "$work/linked"
ln -sf "$library" "$work/linked/libmpgpu-gmp.so.0"
for how in run link; do
    case $how in
    run) set -- "$run" --wait --backend "$backend" --threshold 100 --stats --conf server:auto,watchdog:600 ;;
    link) set -- env LD_PRELOAD="$work/linked/libmpgpu-gmp.so.0" MPGPU_CONF="backend:$backend,open:wait,watchdog:600,mul:100,sqr:100,stats:text,server:auto" ;;
    esac
    timeout 600 "$@" "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    by_server "$work/err"
    "$serve" --end || fail "$how: --end"
done
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
echo 'passed: mpgpu-run, and a library that is a link'

# When `mpgpu-serve --end` returns, the server must have ended: no process of it is found, and
# another server can start.
"$serve" --end || fail '--end'
[ -z "$(servers)" ] || fail "it has not ended: $(servers)"
"$serve" --list 2>"$work/err" && fail 'there is a list'
grep -q 'no mpgpu-serve runs\|No such file' "$work/err" || fail "--list says: $(cat "$work/err")"
for try in 1 2 3 4; do
    MPGPU_CONF=backend:$backend "$serve" || fail "start $try"
    "$serve" --list >/dev/null || fail "start $try is lost"
    "$serve" --end || fail "end $try"
done
echo 'passed: --end, and the next start'

# The server must inherit none of the program's descriptors, folder, session, ignored signals or
# preloaded libraries.
(
    cd "$work"
    exec 7>"$work/held"
    trap '' HUP USR1
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
server=$(servers)
[ "$(readlink "/proc/$server/cwd")" = / ] || fail "its folder: $(readlink "/proc/$server/cwd")"
ls -l "/proc/$server/fd" >"$work/files"
grep -q "$work" "$work/files" && fail "it holds files of the program: $(cat "$work/files")"
[ "$(awk '{ print $6 }' "/proc/$server/stat")" -eq "$server" ] || fail 'it is in the session of the program'
tr '\0' '\n' <"/proc/$server/environ" | grep '^LD_PRELOAD=' && fail 'it is preloaded'
[ $((0x$(awk '$1 == "SigIgn:" { print $2 }' "/proc/$server/status") & 0x201)) -eq 0 ] || # HUP, USR1
    fail "it ignores signals: $(grep SigIgn "/proc/$server/status")"
echo 'passed: nothing is inherited'

# The server must not inherit a program's small soft limit on the size of stacks.
"$serve" --end
(
    ulimit -S -s 64
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
same "$work/alone" "$work/out"
by_server "$work/err"
grep -q '^Max stack size *8388608 ' "/proc/$(servers)/limits" || fail "its stack: $(cat "/proc/$(servers)/limits")"
echo 'passed: the usual stack'

# A program that closes and opens descriptors while the server begins must keep its own.
"$serve" --end
CONF=open:now,pool:256M client "$builddir/tests/process/troubled" close >"$work/out" 2>"$work/err" ||
    fail "closed descriptors: $(cat "$work/out" "$work/err")"
by_server "$work/err"
echo 'passed: descriptors that are closed'

# A program in a container of its own, which sees this server's socket but not its process, must
# compute by GMP and must not replace the server.
if unshare -r -p -f --mount-proc true 2>"$work/err"; then
    server=$(servers)
    export serve served library backend work
    unshare -r -p -f --mount-proc sh -c '
        MPGPU_CONF="backend:$backend,open:wait,mul:100,sqr:100,stats:text,log:1,server:auto" \
            LD_PRELOAD=$library timeout 60 "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
        "$serve" --end 2>"$work/end.err"
        true'
    same "$work/alone" "$work/out"
    by_gmp "$work/err"
    grep -q '^mpgpu: no mpgpu-serve: .*outside of this container; GMP computes' "$work/err" ||
        fail "a container: $(cat "$work/err")"
    grep -q 'outside of this container' "$work/end.err" || fail "--end in a container: $(cat "$work/end.err")"
    [ "$(servers)" = "$server" ] || fail "another server: $(servers)"
    "$serve" --list | grep -q "^process $server," || fail "a container ends the server: $("$serve" --list)"
    echo 'passed: a container'
fi

# The server is no child of the program, so the program's wait calls do not return it.
"$serve" --end
MPGPU_CONF="backend:$backend,server:auto,mul:100,sqr:100" LD_PRELOAD=$library "$contacts" 20000000 2 200000 60 >"$work/out"
grep -q 'children 0' "$work/out" || fail "a child: $(cat "$work/out")"
"$serve" --end 2>/dev/null || true # fails if the server has not started yet
echo 'passed: it is no child'

# Starts 64 programs at the same time: only one server may run, and all must use it.  On a busy
# machine a few may give up waiting for the server's answer; GMP computes in them.  Each program needs
# 24 MiB, so fewer are started if memory is short.
"$serve" --end 2>/dev/null || true
many=64
awk '$1 == "MemAvailable:" && $2 > 4e6 { found = 1 } END { exit !found }' /proc/meminfo || many=12
programs=
for i in $(seq $many); do
    client "$served" products 2 20000 3 >"$work/out.$i" 2>"$work/err.$i" &
    programs="$programs $!"
done
for program in $programs; do
    wait "$program" || fail 'one of many programs'
done
"$served" products 2 20000 3 >"$work/alone2"
given_up=0
for i in $(seq $many); do
    same "$work/alone2" "$work/out.$i"
    if grep -q 'gives no answer' "$work/err.$i"; then
        given_up=$((given_up + 1))
        continue
    fi
    by_server "$work/err.$i"
    [ "$(grep -c '^mpgpu: device' "$work/err.$i")" -eq 1 ] || fail "program $i has another device: $(cat "$work/err.$i")"
done
[ "$given_up" -le 4 ] || fail "$given_up of $many programs got no answer"
[ "$(servers | wc -l)" -eq 1 ] || fail "servers of many programs: $(servers)"
echo "passed: one server of $many programs"

# A program whose environment makes drivers show other devices gets a server of its own, which ends
# with the program.
GPU_DEVICE_ORDINAL=0 CONF=log:2 client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_server "$work/err"
grep -q 'the program starts a server of its own' "$work/err" || fail "by which server: $(cat "$work/err")"
echo 'passed: other devices are visible'

# After the server was killed, the next program must start another one.
server=$(servers)
kill -9 "$server"
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
same "$work/alone" "$work/out"
by_server "$work/err"
[ "$(servers)" != "$server" ] || fail 'it lives'
echo 'passed: the next one after one that was killed'
"$serve" --end

# A program that ends must not wait for a server that never answers. The server here is a script
# that sleeps.
mkdir -p "$work/tree/lib" "$work/tree/bin"
cp "$library" "$work/tree/lib/"
printf '#!/bin/sh\necho >>%s\nexec sleep 300\n' "$work/started" >"$work/tree/bin/mpgpu-serve"
chmod 755 "$work/tree/bin/mpgpu-serve"
: >"$work/started"
MPGPU_CONF="backend:$backend,server:auto,open:now,mul:100,sqr:100" \
    LD_PRELOAD=$work/tree/lib/libmpgpu-gmp.so.0 timeout 20 "$served" products 1 20000 300 >"$work/out" ||
    fail "it waits for a server that never answers: $?"
"$served" products 1 20000 300 >"$work/alone3"
same "$work/alone3" "$work/out"
# No kind of exit, nor fork, may wait for a server that never answers.
real=$library
library=$work/tree/lib/libmpgpu-gmp.so.0
for way in return-working exit-working exit-thread quick_exit main-thread fork-working fork-thread; do
    MORE=server:auto,backend:$backend OPENS=now as_alone "$builddir/tests/process/exits" $way
done
library=$real
echo 'passed: no exit waits for a server'

# If mpgpu-serve is not installed beside the library, or if the program's limits forbid to start it,
# GMP computes.
without_server() {
    same "$work/alone" "$work/out"
    by_gmp "$work/err"
    grep -q "^mpgpu: $1.*; GMP computes" "$work/err" ||
        fail "it does not say why: $(cat "$work/err")"
    [ -z "$(servers)" ] || fail "$1: a server: $(servers)"
}
rm "$work/tree/bin/mpgpu-serve"
library=$work/tree/lib/libmpgpu-gmp.so.0
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
without_server 'mpgpu-serve is not installed'
library=$builddir/.libs/libmpgpu-gmp.so.0
(
    ulimit -t 1000
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
without_server 'mpgpu-serve is not started: RLIMIT_CPU'
(
    ulimit -s 512
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
without_server 'mpgpu-serve is not started: RLIMIT_STACK'
# A program with low priority starts a server only if it may raise the server's priority, as root
# may.
set -- prlimit --nice=0:0 nice -n 5
[ "$(id -u)" -ne 0 ] || set -- setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$@"
client "$@" "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
without_server 'mpgpu-serve is not started: the low priority'
echo 'passed: GMP instead'
if nice -n -1 true 2>"$work/err" && [ ! -s "$work/err" ]; then
    client nice -n 5 "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    by_server "$work/err"
    [ "$(awk '{ print $19 }' "/proc/$(servers)/stat")" -eq 0 ] || fail 'the server has a low priority'
    "$serve" --end
    echo 'passed: the usual priority'
fi

# With server:off or server:only a program starts no server.
for SERVER in off only; do
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    [ -z "$(servers)" ] || fail "server:$SERVER: a server: $(servers)"
done
echo 'passed: no server unless asked for'
