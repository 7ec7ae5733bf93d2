#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests README.md: it must be short and have its sections in order, and its example must work.  Its
# figures must have commands in doc/measurements/claims.md.  test_references.sh checks the links of
# all pages.
. "$(dirname "$0")/../support/common.sh"
readme=$srcdir/README.md
[ -f "$readme" ] || skip "no sources here: no README.md in $srcdir"

lines=$(wc -l <"$readme")
[ "$lines" -le 120 ] || fail "README.md has $lines lines, more than 120"
LC_ALL=C.UTF-8 awk 'length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns"; wide = 1 }
    END { exit wide }' "$readme" || fail 'README.md has lines of more than 100 columns'

sed -n 's/^## //p' "$readme" >"$work/sections"
printf '%s\n' Requirements 'Quick start' 'Does it help my program?' Performance Install Use \
    'Correctness and limits' >"$work/wanted"
diff "$work/wanted" "$work/sections" || fail "README.md's sections"

# Prints section $1 of README.md.  The sections must list six programs, five reasons not to use the
# library, and five operations.
section() {
    sed -n "/^## $1\$/,/^## /p" "$readme"
}
[ "$(section 'Does it help my program?' | sed 1,3d | grep -c '^| ')" -eq 6 ] || fail 'six programs'
[ "$(section 'Does it help my program?' | grep -c '^- ')" -eq 5 ] || fail 'five reasons not to use it'

# Every figure of the README's tables must be in doc/measurements in the same words.  Each claim in
# claims.md must have a command.
claims=$srcdir/doc/measurements/claims.md
section Performance | sed -n 's/^| [^m-][^|]*| \(.*\) |$/\1/p' | sed 's/ | /\n/g' >"$work/figures"
[ "$(wc -l <"$work/figures")" -eq 15 ] || fail 'the table of operations has not 15 figures'
while read -r figure; do
    grep -qF "| $figure |" "$srcdir/doc/measurements/programs.md" || fail "no measurement has $figure"
done <"$work/figures"
awk -F'|' '/^\|/ && NF > 4 && $3 !~ /`|---|command/ { print FILENAME ":" FNR ": no command: " $2; bad = 1 }
    END { exit bad }' "$claims" || fail 'a claim has no command'
for word in PARI/GP mpmath python-flint examples/pi 'powers and products of many' GMP-ECM programs.py quickstart; do
    grep -q "^|.*$word.*\`" "$claims" || fail "claims.md has no command for $word"
done

# The README's example in C must compile without a warning, and print what its comment says.
sed -n '/^```c$/,/^```$/p' "$readme" | sed '/^```/d' >"$work/readme.c"
[ "$(wc -l <"$work/readme.c")" -ge 10 ] || fail 'README.md has no example in C'
${CC:=cc} -std=c11 -Wall -Wextra -Werror -I "$srcdir/include" -o "$work/readme" "$work/readme.c" \
    "$library" -lgmp || fail 'the example does not compile'
for options in backend:none open:wait,mul:1,sqr:1; do
    said=$(LD_LIBRARY_PATH=$builddir/.libs MPGPU_CONF=$options,watchdog:600 "$work/readme") || fail "the example: $options: status $?"
    [ "$said" = '3^(2^20) has 1661954 bits' ] || fail "the example, $options, says: $said"
done
