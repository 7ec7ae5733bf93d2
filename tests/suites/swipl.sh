# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs SWI-Prolog's tests of arithmetic, formats, strings, sorting and reading.
title=SWI-Prolog version=9.0.4

prepare() {
    packages swi-prolog-nox
    source_of swi-prolog=9.0.4+dfsg-2
}

run() {
    cd tree/src/Tests/core || exit
    for test in test_arith test_factorize test_random test_format test_string test_sort test_read; do
        outcome "$test" under swipl -q -f none -g "load_files('$test.pl', []), ($test -> halt ; halt(1))" -t 'halt(1)'
    done
}
