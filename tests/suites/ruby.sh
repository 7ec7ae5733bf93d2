# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# Ruby's tests of Integer and Rational.
title=Ruby version=3.1.2

prepare() {
    packages ruby
    source_of ruby3.1
}

run() {
    cd tree/test
    for test in bignum integer integer_comb fixnum numeric rational rational2 sprintf sprintf_comb; do
        under ruby -I../tool/lib runner.rb -v "ruby/test_$test.rb" 2>&1 </dev/null | tee -a "$folder/$mode.log" |
            sed -n 's/^\(Test[^ ]*\) = .* = \.$/PASS \1/p; s/^\(Test[^ ]*\) = .* = [FE]$/FAIL \1/p'
    done
}
