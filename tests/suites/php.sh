# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the tests of PHP's module gmp.  PHP opens libgmp itself by dlopen, so --replace is needed.
title='PHP gmp' version=8.2
replace=--replace

prepare() {
    packages php-cli php-gmp
    source_of php8.2
}

run() {
    export NO_INTERACTION=1 TEST_PHP_ARGS=-q TEST_PHP_EXECUTABLE=/usr/bin/php
    under php tree/run-tests.php -q tree/ext/gmp/tests 2>&1 | tr '\r' '\n' | tee -a "$mode.log" |
        sed -n 's/.*\(PASS\|FAIL\|SKIP\)[^ ]* .*\[\(.*\.phpt\)\].*/\1 \2/p'
}
