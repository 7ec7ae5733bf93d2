#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# doc/measurements/ratios.py: a picture of a table of times, names from the fastest down.
. "$(dirname "$0")/../support/common.sh"
need_command python3
script=$srcdir/doc/measurements/ratios.py
printf '%s\n' '# times' operation,bits,gmp_ms,with_ms slow,1024,1,1 slow,4096,4,1 'a <fast>,2048,9,1' \
    'a <fast>,4096,90,1' >"$work/in.csv"
python3 "$script" "$work/in.csv" >"$work/out.svg" || fail "exit status $?"
python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$work/out.svg" || fail 'no XML'
grep -o '>[^<]*([0-9]*)<' "$work/out.svg" | tr -d '<>' >"$work/names"
printf '%s\n' 'a &lt;fast&gt; (90)' 'slow (4)' >"$work/right"
same "$work/right" "$work/names"
grep -q 'prefers-color-scheme: dark' "$work/out.svg" || fail 'no colours for dark pages'
python3 "$script" "$srcdir/doc/measurements/ratios-h200.csv" | cmp - "$srcdir/doc/measurements/ratios-h200.svg" ||
    fail 'doc/measurements/ratios-h200.svg is not that of its table'
echo operation,bits,gmp_ms,with_ms >"$work/in.csv"
! python3 "$script" "$work/in.csv" >"$work/out" 2>"$work/err" || fail 'no figures'
grep -q 'no figures' "$work/err" || fail "$(cat "$work/err")"
