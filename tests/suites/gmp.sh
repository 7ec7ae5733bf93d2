# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# GMP's own test programs, on its own library.  Their repetitions are a hundredth of the usual ones.
title=GMP version=6.3.0

prepare() {
    source_of 'gmp=2:6.3.0+dfsg-3'
    cd tree
    mkdir -p doc # Debian leaves it out
    echo 'all check:' >doc/Makefile.in
    ./configure -q --disable-static --enable-cxx
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/.libs" GMP_CHECK_REPFACTOR="${REPETITIONS:-0.01}"
    programs tree/tests
}
