# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs MPC's test programs, except the six that take longest (tagm sends 1.4 million calls). GMP
# computes products below 20 limbs, and sums below 100.
title=MPC version=1.3.1
options=mul:20,sqr:20,mulmod:20,add:100
without='tagm tasin tpow tpow_d tpow_fr tsin_cos'

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
