# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs those of NTL's test programs that call GMP and end within a minute without a device, on
# Debian's library.
title=NTL version=11.5.1
tests='CanZassTest BerlekampTest ZZXFacTest MoreFacTest LLLTest RRTest QuadTest CharPolyTest MatrixTest'

prepare() {
    packages g++ libgmp-dev libntl-dev
    source_of ntl=11.5.1-1
    cd tree/src || exit
    for test in $tests; do
        g++ -O1 -pthread -o "$test" "$test.cpp" -lntl -lgmp -lm
    done
}

test_one() {
    input=/dev/null
    [ ! -f "$1In" ] || input=$1In
    under "./$1" <"$input" >"$folder/$1.$mode"
    [ ! -f "$1Out" ] || diff -b "$1Out" "$folder/$1.$mode"
}

run() {
    cd tree/src || exit
    for test in $tests; do
        outcome "$test" test_one "$test"
    done
}
