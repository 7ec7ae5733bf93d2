#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests doc/measurements/scale.py, a model of products on many GPUs: it must agree with measurements
# on one GPU, and its page must contain its tables.
. "$(dirname "$0")/../support/common.sh"
need_command python3
script=$srcdir/doc/measurements/scale.py
table=$srcdir/doc/measurements/bench-h200.csv
python3 "$script" --check "$table" || fail 'the model is off'
python3 "$script" --table "$table" >"$work/tables"
[ "$(wc -l <"$work/tables")" -gt 60 ] || fail "no tables: $(cat "$work/tables")"
sed '1,/^## Tables$/d' "$srcdir/doc/measurements/scale.md" >"$work/page"
same "$work/tables" "$work/page"

# The check must find measurements that are twice as slow, and missing rows.
awk -F, -v OFS=, '$1 == "mul" && $2 == 16777216 { $8 *= 2 } 1' "$table" >"$work/slow.csv"
! python3 "$script" --check "$work/slow.csv" >"$work/out" 2>&1 || fail 'twice as slow is near'
grep -q '16777216 bits' "$work/out" || fail "it says: $(cat "$work/out")"
head -n 10 "$table" >"$work/short.csv"
! python3 "$script" --check "$work/short.csv" >"$work/out" 2>&1 || fail 'too few rows pass'
grep -q 'too few rows' "$work/out" || fail "it says: $(cat "$work/out")"
! python3 "$script" --other "$table" >"$work/out" 2>&1 || fail 'an unknown option'
