#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests the interception of FLINT's products of polynomials, with Debian's FLINT and with that of
# Python's module flint.  All products must be right, and products must be sent to the device.
. "$(dirname "$0")/../support/common.sh"
need_opencl_or_cuda
program=$builddir/tests/clients/flint_polynomials
[ -x "$program" ] || skip "built without FLINT (libflint-dev)"

# sent_polynomials FILE: prints how many products of polynomials were sent to the device.
sent_polynomials() {
    awk '$2 == "flint_poly_mul" { sum += $4 } END { print sum + 0 }' "$1"
}

"$program" 2 1 >"$work/alone" || fail "wrong without this library"
for backend in $(backends); do
    # With a small limit of memory, FLINT computes some products.
    for conf in "" ",memory:6000000" ",verify:residue"; do
        "$run" --backend "$backend" --wait --threshold 20 --stats --conf "watchdog:600$conf" \
            "$program" 12 "${MPGPU_TEST_SEED:-1}" >"$work/out" 2>"$work/stats" ||
            fail "$backend$conf: exit status $? $(cat "$work/stats")"
        count=$(sent_polynomials "$work/stats")
        echo "$backend$conf: $count products of polynomials sent"
        case $conf in
        "")
            [ "$count" -gt 30 ] || fail "only $count: $(cat "$work/stats")"
            awk '$2 == "flint_poly_mul" && $3 != $4 { exit 1 }' "$work/stats" ||
                fail "not all products were sent: $(cat "$work/stats")"
            ;;
        *residue) grep -q flint_poly_mul "$work/stats" || fail "not counted: $(cat "$work/stats")" ;;
        esac
    done
done
