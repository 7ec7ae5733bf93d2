#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that doc/soundness.md has a row for each operation of lib/job/ops.def and each program of
# kernels/programs.def, and no other.  Each row must name a test that exists, and injected faults
# that tests/unit/fault/test_inject knows.  The counts of functions must be those of
# tests/proofs/functions.
. "$(dirname "$0")/../support/common.sh"
cd "$srcdir" || exit 1
page=doc/soundness.md
[ -f $page ] || skip "no sources here: no $page in $srcdir"

rows() {
    sed -n "/^## $1\$/,/^## /p" $page | grep '^| `'
}
# Prints the names in the first cell of each row of table $1.
names() {
    rows "$1" | cut -d '|' -f 2 | tr -d '` ' | tr ',' '\n'
}

sed -n 's/^\(BATCH\|LIMBS\|COMPOSITE\|UPLOADED\|ON_DEVICE\|STORE\)(\([a-z_0-9]*\).*/\2/p' lib/job/ops.def |
    sort >"$work/operations"
names Operations | sort >"$work/listed"
[ "$(wc -l <"$work/operations")" -gt 40 ] || fail 'lib/job/ops.def is not as this test expects it'
diff "$work/operations" "$work/listed" || fail "$page: operations without a row (<), or rows without one (>)"

# A name that ends in * stands for all names that begin with the part before the *.
sed -n 's/^PROGRAM(\([a-z_0-9]*\),.*/\1/p' kernels/programs.def | sort >"$work/programs"
names 'Kernel programs' | sort >"$work/patterns"
[ "$(uniq -d "$work/patterns" | wc -l)" -eq 0 ] || fail "$page: twice: $(uniq -d "$work/patterns")"
sed 's/\*/.*/; s/.*/^&$/' "$work/patterns" >"$work/expressions"
grep -vf "$work/expressions" "$work/programs" >"$work/left" || true
[ ! -s "$work/left" ] || fail "$page: programs without a row: $(tr '\n' ' ' <"$work/left")"
while read -r expression; do
    grep -q "$expression" "$work/programs" || fail "$page: no program is called $expression"
done <"$work/expressions"

# Each test that a row names must be a script or have a source in C.
{
    rows Operations
    rows 'Kernel programs'
} | sed 's/ |$//; s/.*|//' | grep -o 'tests/[a-z_0-9/]*\(\.sh\|\.c\)\{0,1\}' | sort -u >"$work/tests"
while read -r test; do
    [ -f "$test" ] || [ -f "$test.c" ] || fail "$page: no test $test"
done <"$work/tests"
[ "$(rows 'Kernel programs' | grep -vc 'tests/[^|]*|$')" -eq 0 ] || fail "$page: a program's row has no test"
[ "$(rows Operations | grep -vc 'tests/[^|]*|$')" -eq 0 ] || fail "$page: an operation's row has no test"

# The names at the end of the rows' last cells must be names in the tables of
# tests/unit/fault/inject_*.c or lib/job/ops.def.
rows Operations | sed 's/ |$//; s/.*|//' | sed -n 's/.*; `\([a-z_0-9]*\)`$/\1/p' | sort -u >"$work/injected"
[ "$(wc -l <"$work/injected")" -gt 30 ] || fail "$page: few names for injections"
while read -r name; do
    name=${name#job_}
    grep -q "\"$name\"\|(${name}[,)]" tests/unit/fault/inject_*.c lib/job/ops.def || fail "$page: nothing injects faults into $name"
done <"$work/injected"

# count EXPRESSION NAME: row NAME of the page must have the number of lines of
# tests/proofs/functions that match EXPRESSION.
count() {
    number=$(grep -v '^#' tests/proofs/functions | grep -Ec "$1" || true)
    grep -qF "| $2 | $number |" $page || fail "$page: not $number functions: $2"
}
count ' wp' 'contract proven by Frama-C (most are enumerated, too)'
count ' smt' 'SMT at the full width; Frama-C assumes the contracts of four'
count '^[^ ]* [^ ]* enumerated$' 'enumeration of all inputs; for numbers of a team, of words from a set'
count '^[^ ]* [^ ]* enumerated paper' 'enumeration of a part of the inputs, and a proof on paper'
count '^[^ ]* [^ ]* paper' 'on paper alone'
count ' instruction ' 'no proof, but tests: one instruction of a device'
count ' (composed|memory|exchange|rounding) ' 'no proof, but tests: the bits of a double, roundings of weights'
echo "$(wc -l <"$work/operations") operations, $(wc -l <"$work/programs") programs"
