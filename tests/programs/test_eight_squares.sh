#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/eight-squares, which counts sums of eight squares: known values, the same output on
# every backend, bad arguments.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/examples/eight-squares

for argument in x '' 1 -3 99999999999 '5 6'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$program" ${argument:-''} >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "eight-squares $argument: exit status $status, not 2"
    [ -s "$work/err" ] && [ ! -s "$work/out" ] || fail "eight-squares $argument: $(cat "$work/out")"
done

# 1 is (+-1)^2 in one of the 8 places: 16 sums. 2 consists of two such squares: 112 sums. 8 is 2^2 +
# 2^2, or 2^2 and four (+-1)^2, or eight (+-1)^2.
"$program" 9 >"$work/out" || fail "exit status $?"
for line in 'r8(1) = 16' 'r8(2) = 112' 'r8(8) = 9328'; do
    grep -qxF "$line" "$work/out" || fail "no $line: $(cat "$work/out")"
done
"$program" 40000 >"$work/gmp" || fail "exit status $?"
for backend in $(backends); do
    "$run" --wait --backend "$backend" --threshold 1000 --stats --conf watchdog:600 "$program" 40000 \
        >"$work/with" 2>"$work/err" || fail "$backend: $(cat "$work/err")"
    same "$work/gmp" "$work/with"
    [ "$(sent "$work/err")" -eq 3 ] || fail "$backend: not sent: $(cat "$work/err")"
done
