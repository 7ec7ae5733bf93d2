#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests suites.sh by mock suites: two that pass, and one for each way to fail. The table in
# doc/suites.md must have a row for each real suite with a result. The row must report calls sent,
# and under preload no more failures than alone.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
suites=$srcdir/tests/suites/suites.sh
mkdir -p "$work/planted"

# Writes the suite $1; its tests are `a` and the commands of standard input.
plant() {
    {
        echo "title='Suite $1' version=1"
        echo "prepare() { :; }"
        echo "run() { outcome a under '$builddir/examples/pi' 1000"
        cat
        echo "}"
    } >"$work/planted/$1.sh"
}
plant good </dev/null
plant fails-too <<'TEXT'
echo 'FAIL b'
TEXT
plant fails <<'TEXT'
outcome b [ "$mode" = alone ]
TEXT
plant misses <<'TEXT'
[ "$mode" = with ] || echo 'PASS b'
TEXT
plant sends-nothing <<'TEXT'
rm -f "$folder/stats.jsonl"
TEXT

# run_planted SUITE STATUS ROW: runs a mock suite, which must end with STATUS. Its table row must
# have ROW behind the title and the version.
run_planted() {
    status=0
    OUT=$work/out SUITES=$work/planted sh "$suites" "$builddir" "$1" >"$work/row" 2>"$work/err" || status=$?
    [ $status -eq "$2" ] || fail "$1: exit status $status, not $2: $(cat "$work/row" "$work/err")"
    sed 's/| [1-9][0-9]* | \([0-9]* | [0-9]* | [-0-9]* |\)$/| sent | \1/' "$work/row" | grep -qF "| Suite $1 | 1 | $3 |" ||
        fail "$1: the row is $(cat "$work/row")"
}
run_planted good 0 '1 | sent | 0 | 0'
run_planted fails-too 0 '2 | sent | 1 | 1'
run_planted fails 1 '2 | sent | 0 | 1'
grep -q 'fails: fails only under preload: b' "$work/err" || fail "it does not name b: $(cat "$work/err")"
run_planted misses 1 '1 | sent | 0 | 0'
grep -q 'misses: fails only under preload: b' "$work/err" || fail "it does not name b: $(cat "$work/err")"
run_planted sends-nothing 1 '1 | 0 | 0 | 0'
echo 'passed: planted suites'

# Prints the suites that doc/suites.md lists as having no result yet.
without_result() {
    sed -n '/^No result yet:/,/^$/p' "$srcdir/doc/suites.md" | grep -o '`[^`]*`' | tr -d '`'
}
sh "$suites" --list | while read -r name; do
    title=$(sed -n "s/^title='\{0,1\}\(.*[^' ]\)'\{0,1\} version=.*/\1/p" "$srcdir/tests/suites/$name.sh")
    version=$(sed -n 's/.* version=\([^ ]*\)$/\1/p' "$srcdir/tests/suites/$name.sh")
    row=$(grep -F "| $title | $version |" "$srcdir/doc/suites.md") || {
        without_result | grep -qx "$name" && continue
        fail "doc/suites.md has no row of $title $version"
    }
    echo "$row" | awk -F ' *[|] *' '!($4 > 0 && $5 > 0 && $7 <= $6 && $8 ~ /^20/) { exit 1 }' || fail "doc/suites.md: $row"
done || exit 1
rows=$(grep -c '^|.*20..-..-.. |$' "$srcdir/doc/suites.md")
[ "$rows" -eq $(($(sh "$suites" --list | wc -l) - $(without_result | wc -l))) ] ||
    fail "doc/suites.md has $rows rows, which is not the number of suites with a result"
echo 'passed: the table'
