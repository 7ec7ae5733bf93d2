#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What clients leave to mpgpu-serve.  No client gets what another one has left behind: memory of a
# client that was killed, which had no time to clear it (option clear), is zero.  Connections for
# which there is no descriptor take no time.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
remains=$builddir/tests/process/remains
mark() {
    MPGPU_CONF=backend:$backend,open:wait,watchdog:600,server:only timeout 300 "$remains" "$@"
}

# Memory that a client releases itself is that client's to clear: here it does not, so the test can
# see what is left.
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

# More silent connections than the server has descriptors: it waits, and then accepts later clients.
limit=$(ulimit -S -n)
ulimit -S -n 24
begin
ulimit -S -n "$limit"
ticks() {
    awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
timeout 60 "$remains" silent 40 &
silent=$!
sleep 0.5
before=$(ticks)
sleep 1
used=$(($(ticks) - before))
[ $used -lt 20 ] || fail "40 silent connections, 24 descriptors: $used ticks of CPU in a second"
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
# The first python3 may lie in root's own folder.
python=
for one in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! $as_other "$one" -c '' 2>/dev/null || python=$one
done
if [ "$(id -u)" -ne 0 ] || ! $as_other test -x "$serve" 2>/dev/null || [ -z "$python" ]; then
    echo 'skipped: another user: that takes root, setpriv, and a python3 that others may run'
    exit 0
fi

# Connects with socket $1, greets, and prints the length of the answer.
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
# Listens at socket $1, and notes in file $2 what connects.
cat >"$work/listen.py" <<'TEXT'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1])
s.listen(5)
print("listens", flush=True)
s.accept()
print("connected", flush=True)
TEXT

# Nobody else's program is a client, whatever the folder and the socket permit.
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

# Nor is another user's server asked.
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
