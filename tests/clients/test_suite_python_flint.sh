#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs the test suite of Python's module flint, and sends every supported operation to the device.
# PYTHON names a Python that has the module.  MPGPU_TEST_SUITE=all adds the parts that make hundreds
# of thousands of calls, which take most of an hour on PoCL.
. "$(dirname "$0")/../support/common.sh"
python=${PYTHON:-python3}
"$python" -c 'import flint.test' 2>/dev/null || skip "$python has no module flint (pip install python-flint)"
need_opencl_or_cuda
long='test_factor_poly_mpoly test_fmpz_factor test_polys test_division_poly_mpoly test_fmpz_mod_poly
    test_fmpz_mod_dlog test_fq_default test_fq_default_poly test_acb_zeta_zero_methods
    flint.types.acb flint.types.arb flint.types.fmpz flint.types.arb_series'
case ${MPGPU_TEST_SUITE-} in
all) parts=all ;;
*) parts="without $long" ;;
esac
for backend in $(backends); do
    # shellcheck disable=SC2086 # a list of names
    "$run" --backend "$backend" --wait --threshold 1 --stats --conf mulmod:1,add:1,watchdog:600 \
        "$python" "$srcdir/tests/clients/flint_suite.py" $parts >"$work/$backend" 2>"$work/stats" || {
        grep -v ' ok$' "$work/$backend"
        cat "$work/stats"
        fail "$backend: exit status $? under preload"
    }
    tail -n 1 "$work/$backend"
    cat "$work/stats"
    for function in flint_mpn_mul mpz_add mpn_mul; do
        awk -v name=$function '$2 == name && $4 > 0 { found = 1 } END { exit !found }' "$work/stats" ||
            fail "$backend: no $function was sent"
    done
    # The statistics must show no call that GMP computed because the device failed.
    awk '$2 == "all" && /failed|no device|forked/ { exit 1 }' "$work/stats" || fail "$backend: calls have failed"
done
