# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the tests of Perl's module Math::BigInt::GMP, some of which are tests of Math::BigInt.
title='Perl Math::BigInt::GMP' version=1.7003

prepare() {
    packages perl libperl-dev libgmp-dev
    source_of libmath-bigint-gmp-perl=1.7003-1
    cd tree || exit
    perl Makefile.PL
    make -s
}

run() {
    cd tree || exit
    for test in t/*.t; do
        tap "$test" perl -Mblib "$test"
    done
}
