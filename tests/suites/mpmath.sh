# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs mpmath's tests, with gmpy2's integers. Omits tests that take longer than some seconds with
# GMP alone.
title=mpmath version=1.3.0

prepare() {
    from_pip gmpy2==2.2.1 mpmath==1.3.0 pytest
}

run() {
    export MPMATH_NOSAGE=1
    tests=$("$OUT/python/bin/python3" -c 'import mpmath; print(mpmath.__path__[0])')/tests
    pytest_in "$tests/test_basic_ops.py" "$tests/test_bitwise.py" "$tests/test_convert.py" "$tests/test_division.py" \
        "$tests/test_hp.py" "$tests/test_interval.py" "$tests/test_mpmath.py" "$tests/test_power.py" \
        "$tests/test_special.py" "$tests/test_str.py" "$tests/test_trig.py"
}
