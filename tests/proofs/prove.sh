#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# prove.sh SOURCE_DIR FOLDER all|part|none|contracts: checks the list tests/proofs/functions, which
# says how each function in kernels/common/*.h and kernels/modular/*.h is proven or tested.  FOLDER
# is for temporary files.  `part` proves only contracts of common/modular.h and common/radix.h, and
# omits most inputs of words of 32 bits.  `none` omits these and all contracts.  `contracts` checks
# only the list and the contracts.
#
# PROOF_LIMIT: seconds after which an enumeration fails.
# PROOF_ONLY: a regular expression for the functions to enumerate and prove.  CC_NARROW: a compiler
# that has _BitInt (clang 14, GCC 14).  Exit status: 1 if a check fails, 2 if a tool is missing
# and all other checks succeed, otherwise 0.
set -eu
srcdir=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
part=$3
cd "$srcdir"
list=tests/proofs/functions
status=0
missing=0

wrong() {
    echo "FAILED: $*"
    status=1
}

skipped() {
    echo "skipped: $*"
    missing=2
}

# Prints the functions of FILE. A name that a macro composes is printed once, without its suffix.
functions_of() {
    awk '
    /^ *(FN|NOINLINE) [^(]*\(/ { line = $0 }
    /^KERNEL/ { getline; line = $0 }
    line { sub(/\(.*/, "", line); sub(/.*[ *]/, "", line); print line; line = "" }
    /^LANES_INSTRUCTION_/ { split($0, word, /[(,]/); print "lane_" word[2] }' "$1" |
        sed -e '/^lane_##name$/d' -e 's/##suffix$//' -e 's/_##q.*//' -e 's/^name##/name/' |
        sort -u | sed "s|^|${1#kernels/} |"
}

# Checks that each function has a line in the list, and that each line has a function.
for file in kernels/common/*.h kernels/modular/*.h; do
    functions_of "$file"
done | sort >"$work/found"
sed '/^#/d' $list >"$work/list"
cut -d ' ' -f 1,2 "$work/list" | sort >"$work/listed"
comm -3 "$work/found" "$work/listed" >"$work/different"
[ ! -s "$work/different" ] || wrong "not in $list (left), or not in the headers (right):
$(cat "$work/different")"
[ "$(uniq -d "$work/listed" | wc -l)" -eq 0 ] || wrong "twice in $list: $(uniq -d "$work/listed")"
grep -Ev '^[a-z/_]+\.h [A-Za-z_0-9]+( (wp|exact|smt|enumerated|paper))+$' "$work/list" |
    grep -Ev '^[a-z/_]+\.h [A-Za-z_0-9]+ (composed|memory|exchange|instruction|rounding) [a-z_/.]+$' >"$work/ways" || true
[ ! -s "$work/ways" ] || wrong "no such way: $(cat "$work/ways")"
grep -E ' (composed|memory|exchange|instruction|rounding) ' "$work/list" | awk '{ print $4 }' | sort -u |
    while read -r file; do [ -f "$file" ] || echo "$file"; done >"$work/absent"
[ ! -s "$work/absent" ] || wrong "no such test: $(cat "$work/absent")"

if [ "$part" != contracts ]; then
# ---- proofs by Z3, at the full width of a word

if [ "${PROOF_ONLY-}" ]; then
    :
elif command -v z3 >/dev/null 2>&1; then
    sed 's/^(define-fun W () Int 4294967296)/(define-fun W () Int 18446744073709551616)/' \
        tests/proofs/montgomery.smt2 >"$work/montgomery_64.smt2"
    ! cmp -s tests/proofs/montgomery.smt2 "$work/montgomery_64.smt2" || wrong 'montgomery.smt2: no such W'
    for file in tests/proofs/*.smt2 "$work/montgomery_64.smt2"; do
        z3 -T:120 "$file" >"$work/answers" || true
        [ "$(grep -c '^(check-sat)' "$file")" -eq "$(grep -cx unsat "$work/answers")" ] ||
            wrong "$file: $(tr '\n' ' ' <"$work/answers")"
        echo "proven: $file"
    done
else
    skipped 'z3 is not installed: products at the full width are not proven'
fi

# ---- enumerations

# enumerate FILE OPTIONS: compiles FILE with OPTIONS and runs it.
enumerate() {
    program=$work/$(basename "$1" .c)
    compile="${CC:-gcc}"
    if grep -q 'tests/proofs/narrow.h' "$1"; then
        [ "${narrow-}" ] || return 0
        compile="$narrow -std=c2x -I$work/narrow"
        ! grep -q __cplusplus "$1" || compile="$narrow -x c++ -std=c++20 -Wno-c++11-narrowing -I$work/narrow"
        if grep -q ext_vector_type "$1"; then
            [ "${vectors-}" ] || return 0
        fi
    fi
    # shellcheck disable=SC2086
    $compile -O2 -w -I. $2 "$1" -o "$program" -lm || wrong "$1: not compiled"
    timeout "${PROOF_LIMIT:-1800}" "$program" $stride >"$work/output" || wrong "$1: $(grep WRONG "$work/output")"
    cat "$work/output" >>"$work/enumerated"
}

stride=1
[ "$part" = all ] || stride=257
for compiler in ${CC_NARROW:-clang "${CC:-gcc}"}; do
    echo 'unsigned _BitInt(8) word;' >"$work/narrow.c"
    if $compiler -std=c2x -c "$work/narrow.c" -o "$work/narrow.o" >/dev/null 2>&1; then
        narrow=$compiler
        break
    fi
done
case ${narrow-} in
*clang*) vectors=1 ;;
*) skipped 'no clang: simd.h is not enumerated' ;;
esac
sh tests/proofs/narrow.sh . "$work/narrow"
: >"$work/enumerated"
for file in tests/proofs/enumerate_*.c; do
    grep -qE "begin\(\"([a-z_]+\.h:)?(${PROOF_ONLY:-.*})\"\)" "$file" || continue
    sed -n 's|^ \* variant: \([^*]*\).*|\1|p' "$file" >"$work/variants"
    [ -s "$work/variants" ] || echo >"$work/variants"
    while read -r options; do
        enumerate "$file" "$options"
    done <"$work/variants"
done
grep enumerated "$work/enumerated" || true
# If several headers have a function of this name, enumerations call it HEADER:NAME.
awk 'NR == FNR { count[$2]++; next }
    / enumerated/ { sub(/.*\//, "", $1); print (count[$2] > 1 ? $1 ":" : "") $2 }' \
    "$work/list" "$work/list" | sort -u >"$work/wanted"
if [ "${narrow-}" ]; then
    sed -n 's/^enumerated \([a-z_0-9.:]*\) [1-9][0-9]*$/\1/p' "$work/enumerated" | sort -u >"$work/done"
    [ "${vectors-}" ] || awk '$1 ~ /simd.h/ { print $2 }' "$work/list" >>"$work/done"
    sort -u "$work/done" -o "$work/done"
    comm -23 "$work/wanted" "$work/done" | grep -xE "([a-z_]+\.h:)?(${PROOF_ONLY:-.*})" >"$work/left" || true
    [ ! -s "$work/left" ] || wrong "not enumerated: $(tr '\n' ' ' <"$work/left")"
else
    skipped 'no compiler has _BitInt: functions with shorter words are not enumerated'
fi

fi
# ---- contracts by Frama-C

# prove NAME HEADER...: proves the contracts of the headers that tests/proofs/NAME.c includes.
prove() {
    prove_way wp "$@"
    [ "$part" = part ] || prove_way 'wp exact' "$@"
}

# prove_way WAY NAME HEADER...: proves the contracts of the functions that the list says are proven
# by WAY.
prove_way() {
    way=$1 source=$2 option=
    [ "$way" = wp ] || option=-warn-unsigned-overflow
    shift 2
    for header; do
        sed -n "s|^$header \([a-z_0-9]*\) $way\b.*|\1|p" "$work/list"
    done | sort -u | grep -E "^(${PROOF_ONLY:-.*})$" >"$work/names" || return 0
    frama-c ${option:+"$option"} -cpp-extra-args=-I. -machdep gcc_x86_64 -no-unicode -wp -wp-rte -wp-no-let -wp-prover z3,cvc4 \
        -wp-timeout "${PROOF_SECONDS:-20}" -wp-par "${PROOF_JOBS:-2}" -wp-fct "$(paste -sd, "$work/names")" \
        "tests/proofs/$source.c" >"$work/$source.log" 2>&1 || wrong "$source: $(tail -n 3 "$work/$source.log")"
    grep -E '^\[wp\] \[(Failed|Timeout|Unknown|Stepout)' "$work/$source.log" >"$work/unproven" || true
    [ ! -s "$work/unproven" ] || wrong "$source: $(cat "$work/unproven")"
    while read -r name; do
        grep -q "Goal typed_${name}_" "$work/$source.log" || wrong "$source: nothing to prove of $name"
    done <"$work/names"
    echo "contracts of $source.c, $way: $(wc -l <"$work/names") functions, $(sed -n 's/^\[wp\] Proved goals: *//p' "$work/$source.log") goals"
}

if [ "$part" = none ]; then
    :
elif command -v frama-c >/dev/null 2>&1 && command -v why3 >/dev/null 2>&1 && command -v z3 >/dev/null 2>&1 &&
    command -v cvc4 >/dev/null 2>&1; then
    HOME=$work why3 config detect >/dev/null 2>&1 || true
    HOME=$work
    export HOME
    if [ "$part" != part ]; then
        prove common common/carry.h common/crt.h common/modular.h common/powers.h common/radix.h
        prove modular modular/barrett_shift.h modular/lanes.h modular/lanes_plain.h modular/montgomery.h \
            modular/power.h modular/traced.h modular/doubles_trace.h modular/divide_plain.h modular/modular_known.h
        prove digits modular/digits.h modular/tracking.h
    else
        prove common common/modular.h common/radix.h
    fi
else
    skipped "Frama-C with Why3, Z3 and CVC4 is not installed: $(grep -c ' wp' "$work/list") contracts are not proven"
fi

# ---- what is assumed

echo "assumed: that Frama-C's shifts, conversions and bit operations are C's, and mulhi64 and leading_zeros32 (theory.h)"
echo "assumed by Frama-C, proven by Z3 and enumerated: $(awk '/ smt enumerated/ { print $2 }' "$work/list" | paste -sd ' ')"
for way in wp 'wp exact' smt enumerated paper composed memory exchange instruction rounding; do
    echo "$(grep -c " $way" "$work/list") functions: $way"
done
[ $status -ne 0 ] || exit $missing
exit $status
