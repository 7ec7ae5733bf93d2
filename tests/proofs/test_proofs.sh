#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Each function of kernels/common/*.h and kernels/modular/*.h is proven, enumerated or listed without
# a proof, and the part of the proofs that takes seconds holds (tests/proofs/prove.sh).  The test
# also plants three faults in a copy of the headers and expects each to be found.
# MPGPU_TEST_PROOFS=all: all proofs, as `make proofs`.
. "$(dirname "$0")/../support/common.sh"
[ -f "$srcdir/tests/proofs/functions" ] || skip 'no sources here'
. "$srcdir/tests/proofs/plant.sh"
prove() {
    status=0
    sh "$srcdir/tests/proofs/prove.sh" "$1" "$work/proofs" "$2" >"$work/output" 2>&1 || status=$?
}

prove "$srcdir" "${MPGPU_TEST_PROOFS:-part}"
cat "$work/output"
[ $status -ne 1 ] || fail 'the headers and the list disagree'
missing=$status

# plant FILE FUNCTION OLD NEW: with NEW instead of OLD in a copy of FILE, the enumeration of FUNCTION
# fails, or the list.
plant() {
    plant_fault "$work/copy" "$1" "$3" "$4" || fail "$1 has no $3"
    PROOF_ONLY=$2
    export PROOF_ONLY
    prove "$work/copy" none
    [ $status -eq 1 ] || fail "not found in $1: $4 for $3"
}
plant kernels/modular/montgomery.h montgomery_inverse 'k < 3' 'k < 2'
plant kernels/common/carry.h span_increment 'FN u32 span_add(' 'FN u32 span_sum('
[ $missing -eq 2 ] || plant kernels/common/crt.h garner_step 'lazy_mul(a - v + p' 'lazy_mul(a - v'
exit 0
