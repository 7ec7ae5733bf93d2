# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# mpmath's tests, with gmpy2 for its integers; without the plots and the longest functions.
title=mpmath version=1.3.0

prepare() {
    from_pip gmpy2==2.3.2 mpmath==1.3.0 pytest
}

run() {
    export MPMATH_NOSAGE=1
    pytest_in "$("$OUT/python/bin/python3" -c 'import mpmath; print(mpmath.__path__[0])')/tests" -k \
        'basic or bitwise or division or elliptic or gammazeta or hp or identify or interval or linalg or mpmath or power or special or str or trig or convert'
}
