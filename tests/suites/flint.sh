# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs FLINT 3's tests of integers, on the FLINT library in python-flint's wheel. FLINT_GIT names
# another repository. Each test runs a 500th of its usual random cases. GMP computes sums below 100
# limbs, because the tests make hundreds of thousands of them.
title=FLINT version=3.6.0
options=mul:1,sqr:1,mulmod:1,add:100
modules='fmpz fmpz_extras'

prepare() {
    packages g++ autoconf automake libtool git libgmp-dev libmpfr-dev
    from_pip python-flint==0.9.0
    [ -d tree ] || git clone -q --depth 1 --branch v3.6.0 "${FLINT_GIT:-https://github.com/flintlib/flint}" tree
    mkdir -p lib
    cp "$OUT"/python/lib/python3*/site-packages/python_flint.libs/* lib/
    cd tree || exit
    ./bootstrap.sh
    ./configure --disable-static --disable-debug
    for module in $modules; do
        gcc -O1 -w -Isrc -o "../$module" "src/$module/test/main.c" ../lib/libflint-*.so* ../lib/libmpfr-*.so* \
            ../lib/libgmp-*.so* -Wl,-rpath,"$folder/lib" -lm -lpthread
    done
}

run() {
    export FLINT_TEST_MULTIPLIER="${REPETITIONS:-0.002}"
    for module in $modules; do
        under "./$module" 2>>"$mode.log" | sed -n 's/^\([^ .]*\)\.* .*PASS.*/PASS \1/p; s/^\([^ .]*\)\.* .*FAIL.*/FAIL \1/p'
    done
}
