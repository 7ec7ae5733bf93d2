#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests sets of examples/batch-gcd (options --make, --against, --add). Tests results, damaged files
# and additions with GMP. Tests on every backend that the program finds the planted pairs of moduli.
. "$(dirname "$0")/../support/common.sh"
need_command python3
program=$builddir/examples/batch-gcd/.libs/batch-gcd # libtool's script would take most of the time
[ -x "$program" ] || program=$builddir/examples/batch-gcd/batch-gcd
dying=$builddir/tests/programs/.libs/dying.so
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
unset MPGPU_CONF
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

for argument in '--make x --against y z' '--make x --generate 10,512,0,1' '--add z' '--make x' '--make x --add z' \
    '--make x --json z' '--against'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$program" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "$argument: exit status $status"
    [ -s "$work/err" ] || fail "$argument: no message"
done

for part in results damage adding; do
    mkdir "$work/$part"
    python3 "$srcdir/tests/programs/batch-gcd/$part.py" "$program" "$dying" "$work/$part" "${MPGPU_TEST_SEED:-7}" ||
        fail "$part"
done

need_opencl_or_cuda
# 700 new moduli of 512 bits are enough for the device to compute the product of the set.
"$program" --generate "1900,512,60,${MPGPU_TEST_SEED:-7}" -o "$work/all"
sed -n 1,1200p "$work/all" >"$work/old"
sed -n 1201,1900p "$work/all" >"$work/new"
# For each new modulus with a planted partner, prints its line, and the line or number in the set of
# the partner.
sed -n 's/^# planted //p' "$work/all" | awk '
    function name(i) { return i > 1200 ? "line " i - 1200 : "set " i }
    $1 > 1200 { print $1 - 1200, name($2) }
    $2 > 1200 { print $2 - 1200, name($1) }' | sort -n >"$work/planted"
"$program" --gmp --make "$work/set" "$work/old"
"$program" --gmp --against "$work/set" "$work/new" >"$work/by_gmp"
sed -n 's/^line \([0-9]*\): 0x[0-9a-f]* 0x[0-9a-f]* with \([a-z]* [0-9]*\)$/\1 \2/p' "$work/by_gmp" >"$work/lines"
same "$work/planted" "$work/lines"
for backend in $(backends); do
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,batch:1,mul:1000,sqr:1000,stats:text"
    export MPGPU_CONF
    cp "$work/set" "$work/set-$backend"
    "$program" --against "$work/set-$backend" --add "$work/new" >"$work/out" 2>"$work/err"
    cat "$work/err"
    sed '$d' "$work/out" | sed "s,set-$backend,set," >"$work/found"
    same "$work/by_gmp" "$work/found"
    awk '$2 == "mpgpu_tree" || $2 == "mpgpu_number" { sent += $4 > 0 } END { exit sent != 2 }' "$work/err" ||
        fail "$backend: not sent"
    # A set that was enlarged on the device must be the same file, byte for byte, as a set that GMP
    # has enlarged.
    "$program" --gmp --make "$work/made" "$work/old"
    "$program" --gmp --against "$work/made" --add "$work/new" >"$work/out"
    cmp "$work/made" "$work/set-$backend" || fail "$backend: another set"
    rm "$work/made"
done
