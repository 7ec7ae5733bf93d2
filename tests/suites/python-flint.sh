# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs python-flint's own suite on its wheel, which contains a FLINT 3 and a GMP. Omits the parts
# that make hundreds of thousands of calls.
title=python-flint version=0.9.0
long='test_factor_poly_mpoly test_fmpz_factor test_polys test_division_poly_mpoly test_fmpz_mod_poly
    test_fmpz_mod_dlog test_fq_default test_fq_default_poly test_acb_zeta_zero_methods
    flint.types.acb flint.types.arb flint.types.fmpz flint.types.arb_series'

prepare() {
    from_pip python-flint==0.9.0
}

run() {
    # shellcheck disable=SC2086 # a list of words
    under "$OUT/python/bin/python3" "$here/../clients/flint_suite.py" without $long 2>>"$mode.log" |
        sed -n 's/^\([^ ]*\) [0-9.]* ok$/PASS \1/p; s/^\([^ ]*\) [0-9.]* FAILED$/FAIL \1/p'
}
