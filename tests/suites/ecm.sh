# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# GMP-ECM's scripts, which factor numbers by the three methods.
title=GMP-ECM version=7.0.6

prepare() {
    packages libgmp-dev m4
    source_of gmp-ecm=7.0.6+ds-1
    cd tree
    ./configure -q --enable-shared --disable-static
    make -s -j"$JOBS"
}

run() {
    cd tree
    for test in test.ecm test.pm1 test.pp1; do
        outcome "$test" under "./$test" ./ecm
    done
}
