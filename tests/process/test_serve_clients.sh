#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that no client sees what another one has left in the server's device memory. Memory of a
# killed client, which had no time to clear it (option clear), must be zero. Checks also that
# connections on which no data arrive cost no CPU time.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
remains=$builddir/tests/process/remains
mark() {
    MPGPU_CONF=backend:$backend,open:wait,watchdog:600,server:only timeout 300 "$remains" "$@"
}

# A client that releases memory must clear it itself. Here it does not, so its marks are found
# again: this shows that the test can see remains.
begin
mark released || fail 'a client that releases its memory'
all_are_gone
mark count >"$work/out" || fail 'a client that reads'
grep -qx '0 marks' "$work/out" && fail 'nothing is left in released memory: the test is blind'
all_are_gone
end

begin
status=0
mark killed 2>"$work/err" || status=$?
[ $status -eq 137 ] || fail "it was not killed: exit status $status: $(cat "$work/err")"
all_are_gone
for _ in 1 2; do
    mark count >"$work/out" || fail 'a client that reads'
    grep -qx '0 marks' "$work/out" || fail "of a killed client: $(cat "$work/out")"
done
all_are_gone
end
echo 'passed: memory of a killed client'

# Opens more connections than the server has descriptors, and sends nothing on them: the server must
# wait without using CPU time, and accept later clients. The limit is set when the device is open,
# because CUDA's driver needs many descriptors itself.
files() {
    find "/proc/$pid/fd" -type l | wc -l
}
begin
sleep 0.5 # the server opens shared memory for its next clients
limit=$(($(files) + 40))
prlimit --pid "$pid" --nofile=$limit: || fail 'no limit of descriptors'
ticks() {
    awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
timeout 60 "$remains" silent 100 &
silent=$!
for _ in $(seq 50); do
    [ "$(files)" -lt $limit ] || break
    sleep 0.1
done
[ "$(files)" -ge $limit ] || fail "the server has descriptors left: $(files) of $limit"
before=$(ticks)
sleep 1
used=$(($(ticks) - before))
[ $used -lt 20 ] || fail "100 silent connections, 40 descriptors: $used ticks of CPU in a second"
kill $silent
wait $silent || true
SERVER=only client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
by_server "$work/err"
all_are_gone
end
echo 'passed: silent connections'

# Another user, which only root can be.
# shellcheck disable=SC2086 # words
other=65534
as_other="setpriv --reuid=$other --regid=$other --clear-groups"
# Looks for a python3 that the test's second user may run; the first one in PATH may be in root's
# own folder.
python=
for one in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! $as_other "$one" -c '' 2>/dev/null || python=$one
done
if [ "$(id -u)" -ne 0 ] || ! $as_other test -x "$serve" 2>/dev/null || [ -z "$python" ]; then
    echo 'skipped: another user: that takes root, setpriv, and a python3 that others may run'
    exit 0
fi

# Connects to socket $1, sends zeros and prints the length of the answer.
cat >"$work/greet.py" <<'TEXT'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(20)
s.connect(sys.argv[1])
try:
    s.send(bytes(400))
    print(len(s.recv(1 << 16)))
except ConnectionError:
    print(0)
TEXT
# Listens at socket $1 and prints when a process connects.
cat >"$work/listen.py" <<'TEXT'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1])
s.listen(5)
print("listens", flush=True)
s.accept()
print("connected", flush=True)
TEXT

# Programs of another user must not become clients, whatever the permissions of the folder and the
# socket are.
begin
"$served" products 1 20000 3 >"$work/alone"
for mode in 700 755; do
    chmod 755 "$runtime"
    chmod $mode "$runtime/mpgpu"
    [ $mode = 700 ] || chmod 777 "$socket"
    client $as_other "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    [ "$(sent "$work/err")" -eq 0 ] || fail "another user's program is served: $(cat "$work/err")"
    grep -q '^mpgpu: device: .*not a folder of this user alone\|^mpgpu: device: .*Permission denied' "$work/err" ||
        fail "another user: it does not say why: $(cat "$work/err")"
done
[ "$($as_other $python "$work/greet.py" "$socket")" -eq 0 ] || fail "another user's process has an answer"
grep -q 'says nothing that a client says' "$work/log" || fail "another user's process: $(cat "$work/log")"
chmod 700 "$runtime/mpgpu"
client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
by_server "$work/err"
end

# A program must not connect to a server of another user.
mkdir "$runtime/other"
chown $other "$runtime/other"
$as_other mkdir -m 700 "$runtime/other/mpgpu"
$as_other $python "$work/listen.py" "$runtime/other/mpgpu/${socket##*/}" >"$work/listener" &
listener=$!
for _ in 1 2 3 4 5 6 7 8 9; do
    grep -q listens "$work/listener" && break
    sleep 0.5
done
for server in only auto; do
    XDG_RUNTIME_DIR=$runtime/other SERVER=$server client "$served" products 1 20000 3 >"$work/out" 2>"$work/err"
    same "$work/alone" "$work/out"
    grep -q 'by mpgpu-serve' "$work/err" && fail "by another user's server: $(cat "$work/err")"
done
XDG_RUNTIME_DIR=$runtime/other MPGPU_CONF=backend:$backend "$serve" 2>"$work/err" && fail "a server in another user's folder"
grep -q 'not a folder of this user alone' "$work/err" || fail "it says: $(cat "$work/err")"
grep -q listens "$work/listener" || fail 'nobody has listened: nothing is tested'
grep -q connected "$work/listener" && fail "another user's server is asked"
kill $listener
echo 'passed: another user'
