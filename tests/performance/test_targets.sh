#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests tests/performance/targets.sh: its rows, its table, and wrong arguments.  Measures two short
# rows, but does not check the times.
. "$(dirname "$0")/../support/common.sh"
targets=$srcdir/tests/performance/targets.sh

# Runs targets.sh with arguments $2... The exit status must be $1; the output is in $work/out and
# $work/err.
run_targets() {
    expected=$1 status=0
    shift
    OUT=$work/targets TARGETS_QUICK=1 sh "$targets" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq "$expected" ] ||
        fail "targets.sh $*: exit status $status: $(cat "$work/out" "$work/err")"
}

run_targets 0 --list
rows=$(awk '{ print $1 }' "$work/out")
[ "$(echo "$rows" | wc -l)" -ge 15 ] || fail "rows: $rows"
for row in $rows; do
    grep -q "^row_$row() {" "$srcdir/tests/performance/targets_rows.sh" "$srcdir/tests/performance/targets_programs.sh" ||
        fail "row $row has no function"
done
run_targets 2
grep -q Usage "$work/err" || fail "no usage"
run_targets 2 "$builddir" colour
grep -q 'unknown row: colour' "$work/err" || fail "no message: $(cat "$work/err")"

# Prints the number of lines in the table for row $1 that have six fields, milliseconds or per cent
# in the fourth, and yes or no in the fifth.
lines() {
    awk -F'|' -v row=" $1 " '$2 == row && NF == 8 && $5 ~ /^ -?[0-9.e-]+ (ms|%) $/ && $6 ~ /^ (yes|no) $/' \
        "$work/targets/targets.md" | wc -l
}
run_targets 0 "$builddir" run
[ "$(lines run)" -eq 1 ] || fail "row run: $(cat "$work/targets/targets.md")"

need_opencl_or_cuda
run_targets 0 "$builddir" small run
[ "$(lines small)" -eq 3 ] && [ "$(lines run)" -eq 1 ] || fail "rows: $(cat "$work/targets/targets.md")"
[ -s "$work/targets/products.csv" ] || fail 'no figures beside the table'

# The program that row `composite` times must print the same results under preload as alone; its
# times are not checked.
operations=$builddir/tests/performance/operations
"$operations" 10 20000 300000 | awk '{ print $1, $2, $4 }' >"$work/alone"
MPGPU_CONF=open:wait,mul:500,sqr:500 LD_PRELOAD=$library "$operations" 60 20000 300000 |
    awk '{ print $1, $2, $4 }' >"$work/with"
[ "$(wc -l <"$work/alone")" -eq 34 ] || fail "operations: $(cat "$work/alone")"
same "$work/alone" "$work/with"
