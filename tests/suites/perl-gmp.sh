# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the tests of Perl's module Math::GMP, on Debian's package.
title='Perl Math::GMP' version=2.25

prepare() {
    packages perl libmath-gmp-perl
    source_of libmath-gmp-perl=2.25-1
}

run() {
    cd tree || exit
    for test in t/*.t; do
        tap "$test" perl "$test"
    done
}
