# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs gmpy2's tests, from Debian's sources, on gmpy2's wheel, which contains GMP, MPFR and MPC.
# Omits two tests that call for 10,000 rounds of a primality test, which are millions of calls.
title=gmpy2 version=2.2.1

prepare() {
    from_pip gmpy2==2.2.1 pytest hypothesis mpmath==1.3.0
    source_of python-gmpy2=2.2.1-2
}

run() {
    pytest_in tree/test -k 'not test_mpz_is_prime and not test_mpz_is_probab_prime'
}
