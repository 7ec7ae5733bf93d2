#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that each function of kernels/common/*.h and kernels/modular/*.h is proven, enumerated or
# listed without a proof.  Runs those proofs that take seconds (tests/proofs/prove.sh).  Also plants
# three faults in copies of the headers, each of which must be found.  MPGPU_TEST_PROOFS=all: all
# proofs, as `make proofs`.
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

# plant FILE FUNCTION OLD NEW: replaces OLD by NEW in a copy of FILE. The enumeration of FUNCTION or
# the check of the list must then fail.
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
