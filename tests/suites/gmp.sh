# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs GMP's own test programs for integers, fractions and floats, on GMP's own library.  Their
# repetitions are a hundredth of the usual ones.  GMP computes products below 20 limbs, and sums
# below 100.
title=GMP version=6.3.0
options=mul:20,sqr:20,mulmod:20,add:100

prepare() {
    source_of 'gmp=2:6.3.0+dfsg-3'
    cd tree || exit
    mkdir -p doc # the sources of Debian lack this folder
    echo 'all check:' >doc/Makefile.in
    ./configure -q --disable-static --enable-cxx
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/.libs" GMP_CHECK_REPFACTOR="${REPETITIONS:-0.01}"
    programs tree/tests/mpz tree/tests/mpq tree/tests/mpn tree/tests/mpf
}
