# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# PARI's tests, whose input gp reads and whose output is compared with the expected one.
title=PARI/GP version=2.15.2
tests='arith bnr chinese div ellmodpoly equal factorint factormod gcdext idealramgroups intmod isprime lift log
    mod modular nfields number polred polmod prec prime qfsolve rnfkummer round4 sumformal zetamult znprimroot
    addprimes bit characteristic contfrac digits dirmul disc ell factor ff fflog floor gamma hilbert
    incgam isint issquare ispower krasner linear matker matsnf max memory minmax nf padicfields qf qfb
    random real roots sqrt sqrtn strtoi subfields sum trans valuation vecsort'

prepare() {
    packages pari-gp
    source_of pari=2.15.2-1
}

test_one() {
    under gp --test -q -f <"in/$1" >"$folder/$1.$mode" 2>>"$folder/$mode.log"
    diff "32/$1" "$folder/$1.$mode"
}

run() {
    cd tree/src/test || exit
    for test in $tests; do
        [ ! -f "in/$test" ] || outcome "$test" test_one "$test"
    done
}
