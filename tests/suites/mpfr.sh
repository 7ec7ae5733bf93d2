# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs 45 of MPFR's test programs: arithmetic, elementary and special functions, constants and
# conversions. GMP computes products below 20 limbs, and sums below 100.
title=MPFR version=4.2.2
options=mul:20,sqr:20,mulmod:20,add:100
only='tadd tsub tmul tsqr tdiv tsqrt trec_sqrt tcbrt troot tpow tui_pow texp texp2 texp10 tlog tlog2 tlog10 tsin tcos
    ttan tasin tacos tatan tsinh tcosh ttanh tagm thypot tconst_pi tconst_log2 tconst_euler tstrtofr tset_str
    tset_z tget_z tfma tfmod tdot tgamma tlngamma tzeta teint tai tj0 trandom'

prepare() {
    packages libgmp-dev
    source_of mpfr4=4.2.2-1
    cd tree || exit
    ./configure -q --disable-static
    make -s -j"$JOBS"
    make -s -j"$JOBS" check TESTS=
}

run() {
    export LD_LIBRARY_PATH="$PWD/tree/src/.libs"
    programs tree/tests
}
