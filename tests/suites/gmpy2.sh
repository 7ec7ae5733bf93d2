# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034 # suites.sh reads the variables
# gmpy2's tests, from its source package, on its wheel, which contains GMP, MPFR and MPC.
title=gmpy2 version=2.3.2

prepare() {
    from_pip gmpy2==2.3.2 pytest hypothesis mpmath==1.3.0
    from_pip_source gmpy2==2.3.2
}

run() {
    pytest_in tree/test
}
