# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the short tests of PARI. gp reads a test's input, and its output is compared with the
# expected output.
title=PARI/GP version=2.15.2
tests='addprimes arith bit charpoly chinese contfrac cyclo det digits disc div equal factorint gamma gcdext
    krasner lex lift norm polmod prec qf random real rootsreal set sqrtn sumdiv valuation'

prepare() {
    packages pari-gp
    source_of pari=2.15.2-1
}

test_one() {
    under gp --test -q -f <"in/$1" >"$folder/$1.$mode" 2>>"$folder/$mode.log"
    grep -v '^Total time spent' "$folder/$1.$mode" >"$folder/$1.$mode.same"
    grep -v '^Total time spent' "32/$1" | diff - "$folder/$1.$mode.same"
}

run() {
    cd tree/src/test || exit
    for test in $tests; do
        outcome "$test" test_one "$test"
    done
}
