#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# faults.sh SOURCE_DIR FOLDER: plants faults in copies of the arithmetic headers, one at a time, and
# reports which of them the enumerations or the contracts find.  Exit status 1 if one is not found.
# FAULT_ONLY: the functions, as a regular expression.
set -eu
srcdir=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
missed=0
found=0
. "$srcdir/tests/proofs/plant.sh"

# plant HEADER FUNCTION OLD NEW
plant() {
    echo "$2" | grep -qxE "${FAULT_ONLY:-.*}" || return 0
    plant_fault "$work/copy" "kernels/$1" "$3" "$4" || {
        echo "faults.sh: $1 has no $3" >&2
        exit 1
    }
    by=
    PROOF_ONLY=$2 sh "$srcdir/tests/proofs/prove.sh" "$work/copy" "$work/proofs" none >"$work/output" 2>&1 || [ $? -ne 1 ] || by=enumeration
    PROOF_ONLY=$2 PROOF_SECONDS=5 sh "$srcdir/tests/proofs/prove.sh" "$work/copy" "$work/proofs" contracts >"$work/output" 2>&1 ||
        [ $? -ne 1 ] || by=${by:+$by, }contract
    if [ "$by" ]; then
        found=$((found + 1))
    else
        missed=$((missed + 1))
    fi
    echo "$1 $2: $4 for $3: ${by:-NOT FOUND}"
}

plant common/modular.h mod_add 'MIN32(s, s - p)' 'MIN32(s, s + p)'
plant common/modular.h mod_sub 'u32 d = a - b;' 'u32 d = b - a;'
plant common/modular.h mod_mul '(u32)t * pinv, p)' '(u32)t * p, pinv)'
plant common/modular.h lazy_sub 'return a - b + m.p' 'return a - b'
plant common/modular.h lazy_mul 'MULHI32(a, f.quotient) * p' 'MULHI32(a, f.quotient + 2) * p'
plant common/modular.h factor_of '0u - d' 'd'
plant common/carry.h span_add_carry 'carry = (u32)(t >> 32)' 'carry = (u32)(t >> 31)'
plant common/carry.h mask_carry_in '^ p) >> bit' '^ g) >> bit'
plant common/crt.h words_mul_add 'u64 carry = v' 'u32 carry = v'
plant common/crt.h words_add_at 'i - at < CRT_WORDS ? y[i' 'i - at <= CRT_WORDS ? y[i'
plant common/powers.h power_of_root '<< (PRIMES_LOG_ORDER - LOG_FINE)' '<< (PRIMES_LOG_ORDER)'
plant common/radix.h forward_butterfly 'u = mod_canonical(*a, m.p)' 'u = *a'
plant modular/barrett_shift.h shifted_word 'bits && k > down' 'k > down'
plant modular/barrett_shift.h barrett_fraction '(u64)high + 1' 'high + 1'
plant modular/digits.h digit_at 'i + 1 < words' 'i < words'
plant modular/lanes_plain.h team_rows 'high = (u64)m[0] * q + (u32)low' 'high = (u64)m[0] * q + low'
plant modular/lanes_plain.h team_subtract 'word >> 63' 'word >> 62'
plant modular/lanes.h team_reduce '(over ^ 1u)' 'over'
plant modular/montgomery.h montgomery_inverse 'k < 3' 'k < 2'
plant modular/power.h window_of 'k + 1 < words' 'k < words'
plant modular/divsteps.h divsteps 't) + 2' 't) + 1'
plant modular/tracking.h residue_divide '(u64)r > m' '(u64)r > m + 1'
echo "$found faults found, $missed not"
[ $missed -eq 0 ]
