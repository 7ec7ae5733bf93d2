#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests examples/proth, which looks for primes K 2^M + 1. Its powers must be those of mpz_powm, with
# GMP alone and on every backend. Its verdicts are compared with trial division and known primes.
# Gerbicz's check must find an error that is injected.
. "$(dirname "$0")/../support/common.sh"
proth=$builddir/examples/proth/proth
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

for argument in '' 5 '0 5' '5 0' '-1 5' '5 x' '1 2 3' '--base 1 3 5' '--block 0 3 5' '--nothing 3 5'; do
    status=0
    # shellcheck disable=SC2086 # split on purpose
    "$proth" $argument >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "proth $argument: exit status $status, not 2"
    [ -s "$work/err" ] || fail "proth $argument: no message"
    [ ! -s "$work/out" ] || fail "proth $argument: output"
done
while IFS='|' read -r argument text; do
    # shellcheck disable=SC2086
    "$proth" $argument >/dev/null 2>"$work/err" && fail "proth $argument: no error"
    grep -qxF "proth: $text" "$work/err" || fail "proth $argument: no '$text': $(cat "$work/err")"
done <<TEXT
x 5|K is not a number from 1 to 18446744073709551615: x
3 5y|M is not a number from 1 to 34359738368: 5y
3 99999999999999|M is not a number from 1 to 34359738368: 99999999999999
99999999999999999999 5|K is not a number from 1 to 18446744073709551615: 99999999999999999999
--base 1 3 5|--base is not a number from 2 to 18446744073709551615: 1
--block|--block is not a number from 1 to 18446744073709551615: nothing
3|K or M is missing
--nothing 3 5|unknown option: --nothing
3 5 --compare|one argument too many; options come first: --compare
TEXT
"$proth" --base 26 3 2 >/dev/null 2>"$work/err" && fail 'a base that N = 13 divides: no error'
grep -q 'the base is a multiple' "$work/err" || fail "a base that N = 13 divides: $(cat "$work/err")"
"$proth" --minus 1 1 >/dev/null 2>"$work/err" && fail 'N = 1: no error'
grep -qxF 'proth: K 2^M - 1 is 1' "$work/err" || fail "N = 1: $(cat "$work/err")"
"$proth" --help | grep -q '^Usage: proth' || fail '--help'

# Tests primes and composite numbers K 2^M + 1 and K 2^M - 1, with block lengths of Gerbicz's check
# that divide M and that do not.
all() {
    conf=$1
    : >"$work/log"
    while read -r arguments; do
        # shellcheck disable=SC2086
        MPGPU_CONF=$conf "$proth" --compare $arguments 2>>"$work/log" ||
            fail "$conf: proth $arguments: $(cat "$work/log")"
    done <<TEXT
--base 5 3 1
--base 5 3 189
--base 7 3 190
--block 3 3 534
--block 12 3 2208
7 1804
1 16
16 12
1 3
31 1
--block 5 5 1947
--block 40 5 1600
--minus 1 521
--minus --block 7 3 1274
--minus 1 523
--minus 65537 1200
--minus 1 2
--minus --base 6 1 4
TEXT
}
all backend:none >"$work/gmp"
! grep -v ' 0 operations' "$work/log" | grep operations || fail 'backend:none has sent something'
for prime in '3*2^189' '3*2^534' '3*2^2208' '7*2^1804' '5*2^1947' '1*2^16'; do
    grep -qF "$prime+1 is prime to base" "$work/gmp" || fail "$prime: $(cat "$work/gmp")"
done
grep -qF '1*2^3+1 is composite: a square' "$work/gmp" || fail "9: $(cat "$work/gmp")"
for number in '1*2^521' '3*2^1274'; do
    grep -qF "$number-1 is a probable prime to base" "$work/gmp" || fail "$number: $(cat "$work/gmp")"
done
[ "$(grep -c composite "$work/gmp")" -eq 7 ] || fail "$(cat "$work/gmp")"

# Computes the verdict of proth on pairs of K and M, with the default base and with the bases 2, 3
# and 10. K may be below or above 2^M, and the power may be 1, -1 or neither.
verdicts() {
    while read -r k m; do
        for base in '' '--base 2' '--base 3' '--base 10'; do
            # shellcheck disable=SC2086
            MPGPU_CONF=backend:none "$proth" $base $k $m 2>/dev/null | sed 's/,.*//' >>"$work/verdicts"
        done
        echo "$k $m" >>"$work/pairs"
    done
}
: >"$work/verdicts"
: >"$work/pairs"
for m in 1 2 3 5 8; do
    for k in 1 3 5 9 13 15 21 31 45 63; do
        echo "$k $m"
    done
done | verdicts
python3 - "$work/verdicts" <<'TEXT' || fail "verdicts: $(cat "$work/verdicts")"
import re
import sys

seen = set()
for line in open(sys.argv[1]):
    k, m, word, base = re.match(
        r'(\d+)\*2\^(\d+)\+1 is (a probable prime|prime|composite)(?: to base (\d+)|: a square)$', line).groups()
    k, m = int(k), int(m)
    n = k * 2**m + 1
    is_prime = all(n % d for d in range(2, int(n**0.5) + 1))
    assert word != 'prime' or (is_prime and k < 2**m), line
    assert word != 'composite' or not is_prime, line
    power = base and pow(int(base), n // 2, n)
    assert word != 'a probable prime' or power in (1, n - 1), line
    seen.add((word, is_prime))
assert seen == {('prime', True), ('composite', False), ('a probable prime', True),
                ('a probable prime', False)}, seen
TEXT

# Injects an error inside a block, at the end of a block, in the first block, and behind the last
# whole block.
repaired() {
    conf=$1
    for at in 1 9 10 77 100 101 530 533; do
        MPGPU_CONF=$conf "$proth" --block 10 --corrupt $at 3 534 >"$work/out" 2>"$work/err" ||
            fail "$conf: error after $at"
        grep -q 'is prime' "$work/out" || fail "$conf: error after $at: $(cat "$work/out")"
        grep -q ' 1 errors found' "$work/err" || fail "$conf: error after $at: $(cat "$work/err")"
    done
}
repaired backend:none

need_opencl_or_cuda
for backend in $(backends); do
    all backend:$backend,open:wait,mul:1,add:never,stats:text >"$work/$backend"
    grep -q 'mpgpu_number' "$work/log" || fail "$backend: $(cat "$work/log")"
    same "$work/gmp" "$work/$backend"
    repaired backend:$backend,open:wait,mul:1
done
