# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the doctests of Sage's ring of integers and rationals, by passagemath's wheels, which contain
# a GMP, FLINT and NTL.
title=passagemath version=10.8.13

prepare() {
    from_pip passagemath-flint==10.8.13 passagemath-repl==10.8.13
}

run() {
    sage=$("$OUT/python/bin/python3" -c 'import sage.rings.integer as m; print(m.__file__.rsplit("/rings/", 1)[0])')
    for file in rings/integer_ring.pyx rings/rational.pyx; do
        under "$OUT/python/bin/python3" -m sage.doctest --serial --verbose --random-seed=1 \
            --environment=sage.all__sagemath_categories "$sage/$file" 2>>"$mode.log" | tee -a "$mode.log" |
            awk -v file="$file" '/^Trying \(line/ { line = $3 + 0 } /^ok / { print "PASS", file, line }
                /^Failed example/ { print "FAIL", file, line }'
    done
}
