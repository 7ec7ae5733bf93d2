# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the tests of bits and random numbers of Guile 3.0.10 (Debian 13) in Debian 12's Guile.
title=Guile version=3.0.8

prepare() {
    packages guile-3.0
    source_of guile-3.0=3.0.10+really3.0.10-4
}

run() {
    export GUILE_AUTO_COMPILE=0
    for test in bit-operations random; do
        [ ! -f "tree/test-suite/tests/$test.test" ] || under guile -L "$PWD/tree/test-suite" -e main \
            -s tree/test-suite/guile-test --test-suite "$PWD/tree/test-suite/tests" --log-file "$folder/$mode.log" \
            "$test.test" >"$folder/$mode.out" 2>&1 || true
        sed -n 's/^\(PASS\|FAIL\): /\1 /p; s/^\(ERROR\|UNRESOLVED\): /FAIL /p' "$folder/$mode.log"
    done
}
