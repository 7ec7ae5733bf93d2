#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compares digits of pi with published digits, and with those computed under preload on every
# backend.
. "$(dirname "$0")/../support/common.sh"
pi=$builddir/examples/pi

# The digits of pi to $1 decimals must end with $2, which PARI/GP has computed by another series.
ends_with() {
    digits=$("$pi" "$1" | tail -c 11)
    [ "$digits" = "$2" ] || fail "pi $1 ends in $digits, not in $2"
}
ends_with 10 1415926535
ends_with 1000 2164201989
ends_with 10000 5256375678
ends_with 1000000 5779458151
[ "$("$pi" 1)" = 3.1 ] || fail "pi 1"

for argument in '' 0 -5 abc 10x 99999999999999999999 '--wrong 5' '5 6' '-t 0 5' '-t x 5'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$pi" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "pi $argument: exit status $status, not 2"
    [ -s "$work/err" ] || fail "pi $argument: no message"
    [ ! -s "$work/out" ] || fail "pi $argument: digits"
done
for argument in abc --wrong -w; do
    "$pi" $argument 2>&1 | grep -q -e "'$argument'" || fail "the message does not name $argument"
done
"$pi" --help | grep -q DIGITS || fail "pi --help"
[ "$("$pi" -o - 5)" = 3.14159 ] || fail 'pi -o -'

# Tests examples/pi-splitting, the same computation by functions of mpgpu.h.
splitting=$builddir/examples/pi-splitting
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
for argument in '' 0 -5 abc 10x 99999999999999999999 '5 6'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$splitting" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "pi-splitting $argument: exit status $status, not 2"
    [ -s "$work/err" ] || fail "pi-splitting $argument: no message"
done
for digits in 1 2 14 100 100000; do
    "$pi" $digits >"$work/right"
    MPGPU_CONF=backend:none "$splitting" $digits >"$work/out"
    same "$work/right" "$work/out"
done

need_opencl_or_cuda
for backend in $(backends); do
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,batch:1,mul:never,sqr:never,stats:text" \
        "$splitting" 100000 >"$work/out" 2>"$work/stats"
    cat "$work/stats"
    same "$work/right" "$work/out"
    [ "$(awk '$2 == "mpgpu_tree" { print $4 }' "$work/stats")" -eq 1 ] ||
        fail "$backend: the series was not sent"
done
"$pi" -o "$work/gmp" 200000
for backend in $(backends); do
    "$run" --backend "$backend" --wait --threshold 1000 --stats \
        "$pi" -t 3 -o "$work/$backend" 200000 2>"$work/stats"
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    [ "$(sent "$work/stats")" -gt 0 ] || fail "$backend: no product was sent"
done
