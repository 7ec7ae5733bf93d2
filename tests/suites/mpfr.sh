# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# MPFR's test programs.
title=MPFR version=4.2.2

prepare() {
    packages libgmp-dev
    source_of mpfr4=4.2.2-1
    cd tree
    ./configure -q --disable-static
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/src/.libs"
    programs tree/tests
}
