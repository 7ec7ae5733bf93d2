# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs Ruby's tests of Integer, Numeric, Rational and sprintf.
title=Ruby version=3.1.2

prepare() {
    packages ruby
    source_of ruby3.1
}

run() {
    cd tree/test || exit
    for test in bignum integer integer_comb fixnum numeric rational rational2 sprintf sprintf_comb; do
        under ruby -I../tool/lib runner.rb -v "ruby/test_$test.rb" 2>&1 | tee -a "$folder/$mode.log" | awk '
            /^\[[^]]*\] Test/ { sub(/^[^]]*\] /, ""); names[$1] = "PASS" }
            is_next { names[$1] = "FAIL" }
            { is_next = /^ *[0-9]+\) (Failure|Error):/ }
            END { for (name in names) print names[name], name }'
    done
}
