# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# GMP-ECM's scripts, which factor numbers by the three methods.
title=GMP-ECM version=7.0.6

prepare() {
    packages libgmp-dev m4 autoconf automake libtool
    source_of gmp-ecm=7.0.6+ds-1
    cd tree || exit
    autoreconf -fi
    ./configure -q --enable-shared --disable-static
    make -s -j"$JOBS"
}

run() {
    cd tree || exit
    for test in test.ecm test.pm1 test.pp1; do
        outcome "$test" under "./$test" ./ecm
    done
}
