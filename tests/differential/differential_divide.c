/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division: signs, every way in which results can be operands, numerators that are
 * q d + r for q and r of all ones or few bits and for r = 0, 1, d - 1. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential.h"

/* Shorter divisors and quotients are not divided by products. */
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

/* A power of 2 at times, or close to one.  (By GMP's own functions; this program's
 * would count.) */
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

/* Quotient times divisor, and 0, 1, d - 1 or less. */
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
    if (run_below(run, 2) && d < n) /* short quotients as often as short divisors */
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

/* The remainder in a place of its own, or in the numerator's. */
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

static void random_signs(struct run *run, struct operands *o) {
    if (run_below(run, 2))
        o->n->_mp_size = -o->n->_mp_size;
    if (run_below(run, 2))
        o->d->_mp_size = -o->d->_mp_size;
}

/* A result: a number of its own with an old value, or the numerator, or the divisor. */
enum place { OWN, NUMERATOR, DIVISOR, PLACES };

static mpz_ptr place(struct operands *o, mpz_ptr own, enum place p) {
    return p == OWN ? own : p == NUMERATOR ? o->n : o->d;
}

struct mpz_division {
    const char *name;
    void (*apply)(const struct reference *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d);
    int results, exact;
};

/* With f's results in q_place and r_place, and d = n at times. */
static int check_mpz(struct run *run, const struct mpz_division *f, struct operands *o,
                     enum place q_place, enum place r_place) {
    const struct reference *gmp = run->reference;
    mpz_t wanted_q, wanted_r, own_q, own_r;
    mpz_ptr q = place(o, own_q, q_place), r = place(o, own_r, r_place);
    mpz_srcptr d = run_below(run, 16) ? o->d : o->n;
    gmp->mpz_init_(wanted_q);
    gmp->mpz_init_(wanted_r);
    mpz_init(own_q);
    mpz_init_set_ui(own_r, 12345);
    f->apply(gmp, wanted_q, wanted_r, o->n, d);
    run->eligible += is_long_enough(mpz_size(o->n), mpz_size(d));
    f->apply(&intercepted, q, r, o->n, d);
    int good = same_mpz(q, wanted_q) && (f->results == 1 || same_mpz(r, wanted_r));
    gmp->mpz_clear_(wanted_q);
    gmp->mpz_clear_(wanted_r);
    mpz_clears(own_q, own_r, NULL);
    return good;
}

static int run_division(struct run *run, const void *how) {
    const struct mpz_division *f = how;
    struct operands o;
    make_operands(run, &o, f->exact);
    random_signs(run, &o);
    size_t nn = mpz_size(o.n), dn = mpz_size(o.d);
    enum place q = (enum place)run_below(run, PLACES), r = (enum place)run_below(run, PLACES);
    if (f->results == 1 || q == r)
        r = OWN;
    int good = check_mpz(run, f, &o, q, r);
    if (!good)
        fprintf(stderr, "differential: %s, %zu by %zu limbs, results in places %d and %d: wrong\n",
                f->name, nn, dn, q, r);
    mpz_clears(o.n, o.d, NULL);
    return good;
}

#define FUNCTIONS(ONE, TWO)                                                                        \
    ONE(mpz_tdiv_q, 0)                                                                             \
    ONE(mpz_tdiv_r, 0)                                                                             \
    TWO(mpz_tdiv_qr)                                                                               \
    ONE(mpz_fdiv_q, 0)                                                                             \
    ONE(mpz_fdiv_r, 0)                                                                             \
    TWO(mpz_fdiv_qr)                                                                               \
    ONE(mpz_cdiv_q, 0)                                                                             \
    ONE(mpz_cdiv_r, 0)                                                                             \
    TWO(mpz_cdiv_qr)                                                                               \
    ONE(mpz_mod, 0)                                                                                \
    ONE(mpz_divexact, 1)

#define APPLY_ONE(function, exact)                                                                 \
    static void apply_##function(const struct reference *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n,    \
                                 mpz_srcptr d) {                                                   \
        (void)r;                                                                                   \
        f->function(q, n, d);                                                                      \
    }
#define APPLY_TWO(function)                                                                        \
    static void apply_##function(const struct reference *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n,    \
                                 mpz_srcptr d) {                                                   \
        f->function(q, r, n, d);                                                                   \
    }
FUNCTIONS(APPLY_ONE, APPLY_TWO)

#define CASE_ONE(function, exact)                                                                  \
    {#function, run_division, &(const struct mpz_division){#function, apply_##function, 1, exact}},
#define CASE_TWO(function)                                                                         \
    {#function, run_division, &(const struct mpz_division){#function, apply_##function, 2, 0}},

const struct differential_case differential_divide[] = {
    {"mpn_tdiv_qr", run_tdiv_qr, NULL},
    FUNCTIONS(CASE_ONE, CASE_TWO){NULL, NULL, NULL},
};
