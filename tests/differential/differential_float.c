/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares mpf_set_q and mpf_pow_ui with GMP's results limb by limb, with precisions below and
 * above the operands'. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential.h"

static int same_mpf(mpf_srcptr x, mpf_srcptr y) {
    return x->_mp_size == y->_mp_size && x->_mp_exp == y->_mp_exp && x->_mp_prec == y->_mp_prec &&
           same_limbs(x->_mp_d, y->_mp_d, (size_t)abs(x->_mp_size));
}

static int report(const char *function, mpf_srcptr x, unsigned long n, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, %lu, to %d limbs: wrong\n", function, n, x->_mp_prec);
    return good;
}

static int run_set_q(struct run *run, const void *how) {
    mpq_t q;
    mpf_t x, wanted;
    size_t un, vn;
    run_sizes(run, &un, &vn);
    mpq_init(q);
    run_mpz(run, mpq_numref(q), run_below(run, 2) ? un : vn);
    do
        run_mpz(run, mpq_denref(q), run_below(run, 2) ? un : vn);
    while (!mpz_sgn(mpq_denref(q)));
    mpz_abs(mpq_denref(q), mpq_denref(q));
    mpf_init2(x, (1 + run_below(run, un + vn)) * GMP_NUMB_BITS);
    mpf_init2(wanted, mpf_get_prec(x));
    run->reference->mpf_set_q(wanted, q);
    run->eligible += mpq_sgn(q) && mpz_size(mpq_denref(q)) >= 16 && x->_mp_prec >= 16;
    mpf_set_q(x, q);
    int good = report(how, x, mpz_size(mpq_denref(q)), same_mpf(x, wanted));
    mpq_clear(q);
    mpf_clear(x);
    mpf_clear(wanted);
    return good;
}

static unsigned long random_exponent(struct run *run) {
    switch (run_below(run, 4)) {
    case 0:
        return run_below(run, 4);
    case 1:
        return run_below(run, 100);
    default:
        return run_bits(run) >> (24 + run_below(run, 40));
    }
}

/* The result is written to a separate variable, or over the base. */
static int run_pow_ui(struct run *run, const void *how) {
    mpf_t b, r, wanted;
    size_t un, vn;
    run_sizes(run, &un, &vn);
    mpf_init2(b, un * GMP_NUMB_BITS);
    if (run_below(run, 16)) {
        run_limbs(run, b->_mp_d, un);
        b->_mp_d[un - 1] |= b->_mp_d[un - 1] == 0;
        b->_mp_size = run_below(run, 2) ? (int)un : -(int)un;
        b->_mp_exp = (mp_exp_t)run_below(run, 30) - 15;
    }
    mpf_init2(r, (1 + run_below(run, un + vn)) * GMP_NUMB_BITS);
    mpf_ptr to = run_below(run, 4) ? r : b;
    mp_bitcnt_t precision = mpf_get_prec(to);
    if (run_below(run, 2))
        mpf_set_prec_raw(to, 1 + run_below(run, precision));
    mpf_init2(wanted, mpf_get_prec(to));
    unsigned long e = random_exponent(run);
    run->reference->mpf_pow_ui(wanted, b, e);
    run->eligible += mpf_sgn(b) && e >= 3 && un >= 8 && to->_mp_prec >= 8;
    mpf_pow_ui(to, b, e);
    int good = report(how, to, e, same_mpf(to, wanted));
    mpf_set_prec_raw(to, precision);
    mpf_clear(b);
    mpf_clear(r);
    mpf_clear(wanted);
    return good;
}

const struct differential_case differential_float[] = {
    {"mpf_set_q", run_set_q, "mpf_set_q"},
    {"mpf_pow_ui", run_pow_ui, "mpf_pow_ui"},
    {NULL, NULL, NULL},
};
