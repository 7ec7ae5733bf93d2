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

# More silent connections than the server has descriptors: it waits, and lets in who comes later.
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
