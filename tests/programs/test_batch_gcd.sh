#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/batch-gcd, which finds common factors of moduli.  It must print the pairs with a
# common factor and no others, with GMP alone and on every backend.  Also tests bad lines, equal
# moduli, moduli that share both primes, and files that cannot be read or written.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/examples/batch-gcd/batch-gcd
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
unset MPGPU_CONF

# Runs the program with arguments $2...; its exit status must be $1.
expect() {
    wanted=$1
    shift
    status=0
    timeout 300 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ $status -eq "$wanted" ] || fail "$*: exit status $status, not $wanted: $(cat "$work/err")"
}

for argument in '' '--wrong x' 'x y' '-t 0 x' '-t 257 x' '-t x x' '--output' '--generate 5' \
    '--generate 0,512,0,1' '--generate 10,64,0,1' '--generate 10,129,0,1' '--generate 3,512,2,1' \
    '--generate 3,512,-1,1' '--generate 3,512,1,1x' '--generate 3,512,1,1 x'; do
    # shellcheck disable=SC2086 # split on purpose
    expect 2 $argument
    [ -s "$work/err" ] || fail "$argument: no message"
    [ ! -s "$work/out" ] || fail "$argument: output"
done
expect 0 --help
grep -q -e --generate "$work/out" || fail "--help"
page=$srcdir/doc/batch-gcd.1
for option in $(grep -o -e '--[a-z]*' "$work/out"); do
    grep -q -F -e "$(printf '%s' "$option" | sed 's/-/\\-/g')" "$page" || fail "$page: no $option"
done
expect 1 "$work/nothing-there"
grep -q nothing-there "$work/err" || fail "the message does not name the file"
expect 1 -o "$work/nothing-there/out" "$0"
(cd "$work" && "$program" --generate 1,128,0,1 -o - >"$work/out") && [ -s "$work/out" ] && [ ! -e "$work/-" ] || fail "-o -"

# The moduli are 15 = 3 5, 21 = 3 7, 35 = 5 7, 143 = 11 13, 15 again, 143 = 0x8F in hexadecimal,
# 0x1D3 = 467, 17 and 323 = 17 19.  The other lines have no modulus.
printf '%s\n' 15 ' 21 ' bald '' '# 15' -15 0 1 0x 35 143 15 0x8F 8f 1D3 '3 5' 12x4 >"$work/small"
printf '17\r\n' >>"$work/small"
printf '1\0002\n323' >>"$work/small" # the last line has no newline
cat >"$work/small.right" <<'TEXT'
line 1: 0x3 0x5
line 2: 0x3 0x7
line 10: 0x5 0x7
line 11: the same as line 13
line 12: 0x3 0x5
line 13: the same as line 11
line 14: the same as line 11
line 18: divides another
line 20: 0x11 0x13
9 of 10 moduli have factors in common
TEXT
small() {
    expect 0 "$@" "$work/small"
    same "$work/small.right" "$work/out"
    grep 'is no number' "$work/err" | sed 's/.*line \([0-9]*\) .*/\1/' | tr '\n' ' ' >"$work/bad"
    [ "$(cat "$work/bad")" = '3 6 7 8 9 16 17 19 ' ] || fail "bad lines: $(cat "$work/bad")"
}
small --gmp
grep -qxF "batch-gcd: line 3 is no number above 1, skipped: 'bald'" "$work/err" || fail "no text: $(cat "$work/err")"
printf '%050d\n\033x\n' 0 >"$work/bad"
for options in --gmp '--gmp --json'; do
    # shellcheck disable=SC2086 # split on purpose
    expect 1 $options "$work/bad"
    [ ! -s "$work/out" ] || fail "a result of nothing"
    printf "batch-gcd: %s\n" "line 1 is no number above 1, skipped: '$(printf '%040d' 0)'..." \
        "line 2 is no number above 1, skipped: '?x'" "$work/bad: no line is a number above 1" | same - "$work/err"
done
expect 0 --gmp --json "$work/small"
if command -v python3 >/dev/null 2>&1; then
    python3 - "$work/out" <<'TEXT' || fail "--json: $(cat "$work/out")"
import json, sys
all = json.load(open(sys.argv[1]))
assert all["moduli"] == 10 and all["bad_lines"] == [3, 6, 7, 8, 9, 16, 17, 19]
assert len(all["found"]) == 9
by_line = {f["line"]: f for f in all["found"]}
assert [int(p, 16) for p in by_line[10]["factors"]] == [5, 7]
assert by_line[13]["same_as"] == 11 and "factors" not in by_line[13]
assert int(by_line[20]["modulus"], 16) == 323
TEXT
fi
: >"$work/empty"
expect 0 --gmp "$work/empty"
grep -qx '0 of 0 moduli have factors in common' "$work/out" || fail "an empty file"
echo 15 >"$work/one"
expect 0 --gmp "$work/one"
printf '10\n11\n' >"$work/two" # 16 and 17
expect 0 --gmp --hex "$work/two"

expect 0 --generate "${MPGPU_TEST_MODULI:-10000},512,20,${MPGPU_TEST_SEED:-7}" -o "$work/moduli"
sed -n 's/^# planted \([0-9]*\) \([0-9]*\)$/\1 \2/p' "$work/moduli" | tr ' ' '\n' | sort -n >"$work/planted"
[ "$(wc -l <"$work/planted")" -eq 40 ] || fail "not 20 pairs planted"
planted() {
    expect 0 "$@" "$work/moduli"
    sed -n 's/^line \([0-9]*\): 0x[0-9a-f]* 0x[0-9a-f]*$/\1/p' "$work/out" >"$work/lines"
    same "$work/planted" "$work/lines"
}
planted --gmp
cp "$work/out" "$work/by_gmp"

need_opencl_or_cuda
for backend in $(backends); do
    MPGPU_CONF="backend:$backend,open:wait,watchdog:600,batch:1,stats:text"
    export MPGPU_CONF
    small
    expect 0 "$work/empty"
    expect 0 "$work/one"
    # For many moduli the program waits for the device without this option.
    MPGPU_CONF="backend:$backend,watchdog:600,batch:1,stats:text"
    planted --times
    same "$work/by_gmp" "$work/out"
    cat "$work/err"
    [ "$(awk '$2 == "mpgpu_tree" { print $4 }' "$work/err")" -eq 2 ] || fail "$backend: not sent"
    grep -qx 'batch-gcd: [0-9.]* s: cofactors' "$work/err" || fail "no times"
done
