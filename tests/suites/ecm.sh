# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs GMP-ECM's script of P-1 factorizations. Each exit status that the script checks is a test.
# GMP computes products below 100 limbs and sums below 200, so most of the modular arithmetic.
title=GMP-ECM version=7.0.6
options=mul:100,sqr:100,mulmod:100,add:200

prepare() {
    packages libgmp-dev m4 autoconf automake libtool
    source_of gmp-ecm=7.0.6+ds-1
    cd tree || exit
    autoreconf -fi
    ./configure -q --enable-shared --disable-static
    touch ecm.1 # replaces the manual page, whose creation needs xsltproc
    make -s -j"$JOBS"
    # The suite's own check ends the script at the first failure.  This replacement prints a line
    # for each check and continues.
    sed 's/^checkcode () {/&\n  n=$((n + 1)); [ "$1" = "$2" ] \&\& echo "PASS $n" >\&3 || echo "FAIL $n" >\&3; return/' test.pm1 >checks.pm1
}

run() {
    cd tree || exit
    under bash checks.pm1 ./ecm 3>&1 >>"$folder/$mode.log" 2>&1
}
