#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# mpgpu-serve gives no client what another one has left behind: memory of a client that was killed,
# which had no time to clear it (option clear), is zero.
. "$(dirname "$0")/../support/common.sh"
. "$srcdir/tests/support/serve.sh"
remains=$builddir/tests/process/remains

# Memory that a client releases itself is that client's to clear: here it does not, so the test can
# see what is left.
begin
timeout 300 "$remains" released || fail 'a client that releases its memory'
all_are_gone
timeout 300 "$remains" count >"$work/out" || fail 'a client that reads'
grep -qx '0 marks' "$work/out" && fail 'nothing is left in released memory: the test is blind'
all_are_gone
end

begin
status=0
timeout 300 "$remains" killed 2>"$work/err" || status=$?
[ $status -eq 137 ] || fail "it was not killed: exit status $status: $(cat "$work/err")"
all_are_gone
for _ in 1 2; do
    timeout 300 "$remains" count >"$work/out" || fail 'a client that reads'
    grep -qx '0 marks' "$work/out" || fail "of a killed client: $(cat "$work/out")"
done
all_are_gone
end
echo 'passed: memory of a killed client'
