/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests division with all signs and with every overlap of results and operands.  A numerator is
 * random, or a quotient times the divisor d, plus 0, 1 or d - 1. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential_numbers.h"

/* The library divides by products only if divisor and quotient have at least this many limbs. */
enum { LEAST = 4 };

/* ---- operands */

struct operands {
    mpz_t n, d;
};

/* Never 0. */
static void random_mpz(struct run *run, mpz_ptr x, size_t limbs) {
    run_limbs(run, mpz_limbs_write(x, (mp_size_t)limbs), limbs);
    mpz_limbs_finish(x, (mp_size_t)limbs);
    if (mpz_sgn(x) == 0)
        mpz_setbit(x, run_below(run, limbs * GMP_NUMB_BITS));
}

/* Sets d to a random number, sometimes to a power of 2 or close to one.  Calls GMP's own functions,
 * because intercepted calls would be counted. */
static void make_divisor(struct run *run, mpz_ptr d, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t power;
    random_mpz(run, d, limbs);
    if (run_below(run, 4))
        return;
    mpz_set_ui(d, 0);
    if (run_below(run, 2) && limbs > 1)
        mpz_setbit(d, (limbs - 1) * GMP_NUMB_BITS);
    else
        mpz_setbit(d, limbs * GMP_NUMB_BITS - 1 - run_below(run, GMP_NUMB_BITS - 2));
    gmp->mpz_init_(power);
    if (run_below(run, 2))
        gmp->mpz_sub_ui(power, d, run_below(run, 3));
    else
        gmp->mpz_add_ui(power, d, run_below(run, 3));
    mpz_set(d, power);
    gmp->mpz_clear_(power);
}

/* Sets n to a quotient times the divisor, plus 0, 1 or d - 1. */
static void make_numerator(struct run *run, const struct operands *o, mpz_ptr n, size_t limbs,
                           int exact) {
    mpz_t product;
    const struct reference *gmp = run->reference;
    gmp->mpz_init_(product);
    random_mpz(run, n, limbs);
    gmp->mpz_mul(product, n, o->d);
    switch (exact ? 2 : run_below(run, 4)) {
    case 0:
        gmp->mpz_add(product, product, o->d);
        gmp->mpz_sub_ui(product, product, 1);
        break;
    case 1:
        gmp->mpz_add_ui(product, product, 1);
        break;
    default:
        break;
    }
    mpz_set(n, product);
    gmp->mpz_clear_(product);
}

static void make_operands(struct run *run, struct operands *o, int exact) {
    size_t n, d;
    run_sizes(run, &n, &d);
    /* In half of the cases, exchanges the sizes of divisor and quotient, so that short quotients
     * are as frequent as short divisors. */
    if (run_below(run, 2) && d < n)
        d = n - d;
    mpz_inits(o->n, o->d, NULL);
    make_divisor(run, o->d, d);
    if (exact || (run_below(run, 2) && d < n))
        make_numerator(run, o, o->n, n - d + (d == n), exact);
    else
        random_mpz(run, o->n, n);
}

static int is_long_enough(size_t nn, size_t dn) {
    return nn >= dn && nn - dn + 1 >= LEAST && dn >= LEAST;
}

/* ---- mpn_tdiv_qr */

static int same_division(const struct reference *gmp, const struct operands *o, mp_srcptr qp,
                         mp_srcptr rp) {
    size_t nn = mpz_size(o->n), dn = mpz_size(o->d), qn = nn - dn + 1;
    mp_ptr q = malloc((nn + 1) * sizeof *q), r = q + qn;
    gmp->mpn_tdiv_qr(q, r, 0, mpz_limbs_read(o->n), (mp_size_t)nn, mpz_limbs_read(o->d),
                     (mp_size_t)dn);
    int same = same_limbs(q, qp, qn) && same_limbs(r, rp, dn);
    free(q);
    return same;
}

/* The remainder is written to a separate variable, or over the numerator. */
static int run_tdiv_qr(struct run *run, const void *how) {
    struct operands o;
    (void)how;
    make_operands(run, &o, 0);
    size_t nn = mpz_size(o.n), dn = mpz_size(o.d);
    int good = 1;
    if (nn >= dn) {
        mp_ptr q = malloc((nn - dn + 1 + nn) * sizeof *q), r = q + (nn - dn + 1);
        mp_srcptr np = mpz_limbs_read(o.n);
        run->eligible += is_long_enough(nn, dn);
        if (run_below(run, 2))
            np = r;
        for (size_t i = 0; i < nn; i++)
            r[i] = mpz_getlimbn(o.n, (mp_size_t)i);
        intercepted.mpn_tdiv_qr(q, r, 0, np, (mp_size_t)nn, mpz_limbs_read(o.d), (mp_size_t)dn);
        good = same_division(run->reference, &o, q, r);
        free(q);
    }
    if (!good)
        fprintf(stderr, "differential: mpn_tdiv_qr, %zu by %zu limbs: wrong\n", nn, dn);
    mpz_clears(o.n, o.d, NULL);
    return good;
}

/* ---- mpz */

static void make_division(struct run *run, struct numbers *x, int exact) {
    struct operands o;
    make_operands(run, &o, exact);
    mpz_swap(x->z[0], o.n);
    mpz_swap(x->z[1], o.d);
    mpz_clears(o.n, o.d, NULL);
    run_signs(run, x->z[0], x->z[1]);
    if (run_below(run, 16) == 0)
        x->u[1] = x->u[0];
    x->eligible = is_long_enough(mpz_size(x->u[0]), mpz_size(x->u[1]));
}

static void make_any(struct run *run, struct numbers *x) {
    make_division(run, x, 0);
}

static void make_exact(struct run *run, struct numbers *x) {
    make_division(run, x, 1);
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_tdiv_q, 2, 1, make_any, (f->mpz_tdiv_q(r[0], u[0], u[1]), 0))                            \
    X(mpz_tdiv_r, 2, 1, make_any, (f->mpz_tdiv_r(r[0], u[0], u[1]), 0))                            \
    X(mpz_tdiv_qr, 2, 2, make_any, (f->mpz_tdiv_qr(r[0], r[1], u[0], u[1]), 0))                    \
    X(mpz_fdiv_q, 2, 1, make_any, (f->mpz_fdiv_q(r[0], u[0], u[1]), 0))                            \
    X(mpz_fdiv_r, 2, 1, make_any, (f->mpz_fdiv_r(r[0], u[0], u[1]), 0))                            \
    X(mpz_fdiv_qr, 2, 2, make_any, (f->mpz_fdiv_qr(r[0], r[1], u[0], u[1]), 0))                    \
    X(mpz_cdiv_q, 2, 1, make_any, (f->mpz_cdiv_q(r[0], u[0], u[1]), 0))                            \
    X(mpz_cdiv_r, 2, 1, make_any, (f->mpz_cdiv_r(r[0], u[0], u[1]), 0))                            \
    X(mpz_cdiv_qr, 2, 2, make_any, (f->mpz_cdiv_qr(r[0], r[1], u[0], u[1]), 0))                    \
    X(mpz_mod, 2, 1, make_any, (f->mpz_mod(r[0], u[0], u[1]), 0))                                  \
    X(mpz_divexact, 2, 1, make_exact, (f->mpz_divexact(r[0], u[0], u[1]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_divide[] = {{"mpn_tdiv_qr", run_tdiv_qr, NULL},
                                                        FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
