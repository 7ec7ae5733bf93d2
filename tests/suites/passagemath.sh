# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# Doctests of Sage's integers, rationals and polynomials, by passagemath's wheels, which contain a
# GMP, FLINT, PARI and NTL.
title=passagemath version=10.8.13

prepare() {
    from_pip passagemath-flint==10.8.13 passagemath-repl==10.8.13
}

run() {
    sage=$("$OUT/python/bin/python3" -c 'import sage.rings.integer as m; print(m.__file__.rsplit("/rings/", 1)[0])')
    under "$OUT/python/bin/python3" -m sage.doctest "$sage/rings/integer.pyx" 2>&1 | tee -a "$mode.log" | tail -3
}
