# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# The tests of Perl's module Math::BigInt::GMP, a part of which are Math::BigInt's.
title='Perl Math::BigInt::GMP' version=1.7003

prepare() {
    packages perl libperl-dev libgmp-dev
    source_of libmath-bigint-gmp-perl=1.7003-1
    cd tree
    perl Makefile.PL
    make -s
}

run() {
    cd tree
    for test in t/*.t; do
        tap "$test" perl -Mblib "$test"
    done
}
