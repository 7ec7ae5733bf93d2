# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# gmpy2's tests, from Debian's sources, on its wheel, which contains GMP, MPFR and MPC.
title=gmpy2 version=2.2.1

prepare() {
    from_pip gmpy2==2.2.1 pytest hypothesis mpmath==1.3.0
    source_of python-gmpy2=2.2.1-2
}

run() {
    pytest_in tree/test
}
