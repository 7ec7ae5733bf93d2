# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# MPC's test programs.
title=MPC version=1.3.1

prepare() {
    packages libgmp-dev libmpfr-dev
    source_of mpclib3=1.3.1-1
    cd tree
    ./configure -q --disable-static
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/src/.libs"
    programs tree/tests
}
