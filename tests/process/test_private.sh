#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests server:private: a program starts an mpgpu-serve of its own. No other program can use that
# server. The server ends with the program, in whatever way the program ends. Afterwards no process
# and no file is left.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
SERVER=private
export MPGPU_TEST_PRIVATE="$work" # servers inherit this variable, by which the test finds them

# Prints the processes that this test has started and whose command line matches $1.
marked() {
    for p in /proc/[0-9]*; do
        grep -qzx "MPGPU_TEST_PRIVATE=$work" "$p/environ" 2>/dev/null || continue
        { tr '\0' ' ' <"$p/cmdline"; } 2>/dev/null | grep -q -- "$1" && basename "$p"
    done || true
}
# Prints the private servers of all programs, or of program $1.
owned() {
    marked "^[^ ]*mpgpu-serve --owner ${1-[0-9]*}/"
}
end_all() {
    for server in $(owned); do
        kill -9 "$server" 2>/dev/null || true
    done
    stop
}
trap end_all EXIT

# nothing_left WHEN: waits until no server runs. Then fails if a file is left in the folder for
# sockets, or if a socket is left.
nothing_left() {
    for try in $(seq 300); do
        [ -n "$(owned)" ] || break
        sleep 0.2
    done
    [ -z "$(owned)" ] || fail "$1: a server stays: $(owned)"
    [ -z "$(find "$runtime" -mindepth 1)" ] || fail "$1: files stay: $(find "$runtime" -mindepth 1)"
    grep "@mpgpu-serve-[^/]*/${2-none}/" /proc/net/unix && fail "$1: a socket stays"
    echo "passed: $1"
}
private() {
    same "$1" "$work/out"
    by_server "$work/err"
}

"$served" products 1 20000 3 >"$work/alone"
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
grep -q 'by mpgpu-serve' "$work/err" || {
    grep -q '(the CPU)' "$work/err" && grep -q 'not built' "$work/err" && skip "the CPU's kernels are not built"
    fail "no server was started: $(cat "$work/err")"
}
private "$work/alone"
cp "$work/err" "$work/first.err"
program=$(sed -n 's/^mpgpu: served, process \([0-9]*\),.*/\1/p' "$work/err")
nothing_left 'a program ends' "$program"

key_of() {
    tr '\0' '\n' <"/proc/$1/cmdline" | sed -n '/^--owner$/{n;p;}'
}
owner_of() {
    key_of "$1" | sed 's:/.*::'
}
# Starts a long computation in the background. Sets $program to the program's process number, and
# $server to its server's process number.
begin_long() {
    program=
    server=
    client "$served" products 6 200000 1000000 >/dev/null 2>&1 &
    for try in $(seq 300); do
        for server in $(owned); do
            program=$(owner_of "$server")
            case " ${known-} " in *" $program "*) program= ;; esac
            [ -z "$program" ] || return 0
        done
        sleep 0.2
    done
    fail 'no server was started'
}
# Waits until the socket named $1 exists.
await_socket() {
    for try in $(seq 300); do
        grep -q "@mpgpu-serve-[^/]*/$1\$" /proc/net/unix && return 0
        sleep 0.2
    done
    fail "no socket: $1"
}

# The server must be detached, be killed before the program if memory runs out, and be in the
# program's control group.
begin_long
key=$(key_of "$server")
await_socket "$key"
[ "$(awk '{ print $6 }' "/proc/$server/stat")" -eq "$server" ] || fail 'it is in the session of the program'
[ "$(cat "/proc/$server/oom_score_adj")" -ge "$(cat "/proc/$program/oom_score_adj")" ] || fail 'oom_score_adj'
[ "$(cat "/proc/$server/oom_score_adj")" -eq 1000 ] || fail "oom_score_adj: $(cat "/proc/$server/oom_score_adj")"
cmp "/proc/$server/cgroup" "/proc/$program/cgroup" || fail 'its control group'
tr '\0' '\n' <"/proc/$server/environ" | grep '^LD_PRELOAD=' && fail 'it is preloaded'
# The server must not be listed, and must answer only its program and that program's children.
"$serve" --list >"$work/list" 2>&1 && fail "it is listed: $(cat "$work/list")"
"$rogue" trespass "$key" "$server" >"$work/rogue" || fail "a stranger: $(cat "$work/rogue")"
grep -q 'gives no answer\|does not listen' "$work/rogue" || fail "a stranger hears: $(cat "$work/rogue")"
kill -0 "$server" || fail 'a stranger has ended it'

# Two programs at the same time must have two servers. Killing the first program must end only its
# server.
first=$program
known=$first
begin_long
known=
[ "$first" != "$program" ] || fail 'one server of two programs'
[ "$(owned | wc -l)" -eq 2 ] || fail "servers of two programs: $(owned)"
kill -9 "$first"
for try in $(seq 300); do
    [ -n "$(owned "$first")" ] || break
    sleep 0.2
done
[ -z "$(owned "$first")" ] || fail 'the server of a killed program stays'
[ "$(owned "$program")" = "$server" ] || fail "the other program's server has ended"
kill -9 "$program"
wait
nothing_left 'two programs are killed' "$program"

# The server is stopped while its program is killed. It must end as soon as it continues.
begin_long
kill -STOP "$server"
kill -9 "$program"
wait
kill -CONT "$server"
nothing_left 'a server that was stopped' "$program"

# The program executes another one: the process lives on, but its server must end.
CONF=log:2 client "$served" exec 100000 >"$work/out" 2>"$work/err" &
for try in $(seq 300); do
    program=$(marked '^sleep 100000 $')
    [ -z "$program" ] || break
    sleep 0.2
done
[ -n "$program" ] || fail "no exec: $(cat "$work/err")"
grep -q 'by mpgpu-serve' "$work/err" || fail "no server before exec: $(cat "$work/err")"
nothing_left exec "$program"
kill "$program" || fail 'the process has ended: nothing is tested'
wait $! || true

# Children of fork must use their parent's server.
mkdir -p "$work/alone.d" "$work/children"
"$served" children "$work/alone.d" 10 100000 50 >"$work/alone.children"
client "$served" children "$work/children" 10 100000 50 >"$work/out" 2>"$work/err" ||
    fail "children: $(cat "$work/out" "$work/err")"
same "$work/alone.children" "$work/out"
[ "$(grep -c '^mpgpu: device: .*by mpgpu-serve' "$work/err")" -eq 7 ] || fail "devices of children: $(cat "$work/err")"
nothing_left 'children of fork'

# Ends programs in all ways, including exec: no server may stay.
for way in return-working exit-working exit-thread quick_exit main-thread exec exec-working fork-working fork-thread; do
    MORE=server:private,backend:$backend,stats:text OPENS=wait as_alone "$builddir/tests/process/exits" $way
    # after exec, the new program must have used a server, too
    [ $way != exec ] || by_server "$work/wait.err"
done
nothing_left 'all ends'

# Kills the server while it computes: the program must continue with GMP.
many=6000 # products that PoCL computes in 3 s
grep -q '(the CPU)' "$work/first.err" || many=20000
"$served" products 6 200000 $many >"$work/alone6"
: >"$work/err"
CONF=log:2 client "$served" products 6 200000 $many >"$work/out" 2>"$work/err" &
program=$!
for try in $(seq 1800); do
    grep -q 'by mpgpu-serve (' "$work/err" && break
    sleep 0.1
done
sleep 1
kill -9 "$(owned)" || fail 'no server is at work'
wait $program || fail "its server was killed: $(cat "$work/err")"
same "$work/alone6" "$work/out"
grep -q '^mpgpu: device: left alone' "$work/err" || fail "not left alone: $(cat "$work/err")"
[ "$(sent "$work/err")" -gt 0 ] || fail "nothing was sent: $(cat "$work/err")"
nothing_left 'a server that is killed'

# A private server must get its program's priority, CPUs and time limit, because it works for no
# other program.
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
(
    ulimit -t 100000
    client nice -n 5 taskset -c "$cpu" "$served" products 6 200000 1000000 >/dev/null 2>&1
) &
for try in $(seq 300); do
    server=$(owned)
    [ -z "$server" ] || break
    sleep 0.2
done
[ -n "$server" ] || fail 'no server of a program with limits'
await_socket "$(key_of "$server")"
[ "$(awk '{ print $19 }' "/proc/$server/stat")" -ge 5 ] || fail 'its priority'
# While a driver opens its device, hwloc binds the server's thread to one CPU after the other. So
# this loop waits until the server has the expected CPUs.
for try in $(seq 100); do
    [ "$(taskset -cp "$server" | sed 's/.*: //')" != "$cpu" ] || break
    sleep 0.1
done
[ "$(taskset -cp "$server" | sed 's/.*: //')" = "$cpu" ] || fail "its CPUs: $(taskset -cp "$server")"
kill -9 "$(owner_of "$server")"
wait
nothing_left 'priority and CPUs'

# With server:private a program must not use the user's shared server, which still serves others.
begin
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
private "$work/alone"
grep -q '(served)' "$work/log" && fail "the user's server had it: $(cat "$work/log")"
SERVER=only client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
private "$work/alone"
grep -q '(served)' "$work/log" || fail "nobody was the user's server's client: nothing is tested"
end
rm -rf "$runtime/mpgpu"
nothing_left "the user's server"

# Private servers must also work without a folder for sockets and with a home folder that cannot be
# written.
(
    unset XDG_RUNTIME_DIR
    CONF=log:1,cache:${XDG_CACHE_HOME-$HOME/.cache}/mpgpu-gmp
    export HOME=/proc/none XDG_CACHE_HOME=/proc/none
    client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
)
private "$work/alone"
nothing_left 'no folders'

# Neither the end of a program nor fork may wait for a private server that never answers.
mkdir -p "$work/tree/lib" "$work/tree/bin"
cp "$library" "$work/tree/lib/"
printf '#!/bin/sh\necho "$@" >>%s\nexec sleep 300\n' "$work/started" >"$work/tree/bin/mpgpu-serve"
chmod 755 "$work/tree/bin/mpgpu-serve"
library=$work/tree/lib/libmpgpu-gmp.so.0
for way in return return-working exit-thread _exit fork-working exec; do
    MORE=server:private,backend:$backend OPENS=now as_alone "$builddir/tests/process/exits" $way
done
grep -q '^--owner [0-9]*/' "$work/started" || fail 'no server was started: nothing is tested'
for sleeper in $(marked '^sleep 300 $'); do
    kill "$sleeper"
done
echo 'passed: no end waits for a server'
