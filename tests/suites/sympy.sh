# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs SymPy's tests of its numbers and of the domains of polynomials, with gmpy2 for SymPy's
# integers.
title=SymPy version=1.14.0

prepare() {
    from_pip gmpy2==2.2.1 mpmath==1.3.0 python-flint==0.9.0 sympy==1.14.0 pytest hypothesis
}

run() {
    sympy=$("$OUT/python/bin/python3" -c 'import sympy; print(sympy.__path__[0])')
    export SYMPY_GROUND_TYPES=gmpy
    pytest_in "$sympy/core/tests/test_numbers.py" "$sympy/polys/domains"
}
