# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# MPC's test programs; smaller operands than 20 limbs are GMP's.
title=MPC version=1.3.1
options=mul:20,sqr:20,mulmod:20,add:100

prepare() {
    packages libgmp-dev libmpfr-dev
    source_of mpclib3=1.3.1-1
    cd tree || exit
    ./configure -q --disable-static
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/src/.libs"
    programs tree/tests
}
