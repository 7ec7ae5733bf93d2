/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests divisibility, congruences, mpz_remove and exact quotients.  Numbers are multiples and their
 * neighbours, with factors 2 in either operand, of every length and sign. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential_numbers.h"

/* The device computes a product only if divisor and quotient have at least this many limbs. */
enum { LEAST = 8 };

/* Sets d to a random number and n to its product with a random f; both are not 0.  Sometimes shifts
 * d, so that its lowest limbs are 0.  Sets *qn to the limbs of f. */
static void make_multiple(struct run *run, mpz_ptr n, mpz_ptr d, size_t *qn) {
    const struct reference *gmp = run->reference;
    mpz_t f, product;
    mpz_init(f);
    gmp->mpz_init_(product);
    run_mpz(run, d, 1 + run_below(run, run->most / 2 + 1));
    run_mpz(run, f, 1 + run_below(run, run->most / 2 + 1));
    if (run_below(run, 3) == 0)
        mpz_mul_2exp(d, d, run_below(run, 200));
    if (mpz_sgn(d) == 0)
        mpz_set_si(d, -1);
    if (mpz_sgn(f) == 0)
        mpz_set_ui(f, 1);
    gmp->mpz_mul(product, d, f);
    mpz_set(n, product);
    *qn = mpz_size(f);
    mpz_clear(f);
    gmp->mpz_clear_(product);
}

/* Adds 2^bit or d / 2 to n, so that n is probably no multiple of d. */
static void spoil(struct run *run, mpz_ptr n, mpz_srcptr d) {
    mpz_t x;
    mpz_init(x);
    if (run_below(run, 4) == 0)
        mpz_tdiv_q_2exp(x, d, 1);
    else
        mpz_setbit(x, run_below(run, mpz_size(d) * GMP_NUMB_BITS + 64));
    mpz_t sum;
    run->reference->mpz_init_(sum);
    run->reference->mpz_add(sum, n, x);
    mpz_set(n, sum);
    run->reference->mpz_clear_(sum);
    mpz_clear(x);
}

static int is_eligible(size_t qn, mpz_srcptr d) {
    return qn >= LEAST && mpz_size(d) >= LEAST;
}

static void make_divisible(struct run *run, struct numbers *x) {
    size_t qn;
    make_multiple(run, x->u[0], x->u[1], &qn);
    if (run_below(run, 2))
        spoil(run, x->u[0], x->u[1]);
    else
        x->eligible = is_eligible(qn, x->u[1]);
    if (run_below(run, 50) == 0)
        mpz_set_ui(x->u[1], 0);
}

/* Sets a and c to random numbers for which a - c is n or -n. */
static void make_pair(struct run *run, mpz_ptr a, mpz_ptr c, mpz_srcptr n) {
    mpz_t sum;
    run->reference->mpz_init_(sum);
    run_mpz(run, c, 1 + run_below(run, run->most));
    run->reference->mpz_add(sum, n, c);
    mpz_set(a, sum);
    run->reference->mpz_clear_(sum);
    if (run_below(run, 2))
        mpz_swap(a, c);
}

/* Sets the operands a, c and d of a congruence test, a = c modulo d, which may be false. */
static void make_congruent(struct run *run, struct numbers *x) {
    mpz_ptr a = x->u[0], c = x->u[1], d = x->u[2];
    mpz_t n;
    size_t qn;
    mpz_init(n);
    make_multiple(run, n, d, &qn);
    int is_multiple = run_below(run, 2) == 0;
    if (!is_multiple)
        spoil(run, n, d);
    make_pair(run, a, c, n);
    x->eligible = is_multiple && is_eligible(qn, d) && mpz_size(a) > mpz_size(d) + LEAST;
    if (run_below(run, 50) == 0)
        mpz_set_ui(d, 0);
    if (run_below(run, 50) == 0)
        mpz_set(c, a);
    mpz_clear(n);
}

/* Sets f, and n = f^e times a number that may lack the factor f; |f| > 1.  Returns e. */
static unsigned long make_power(struct run *run, mpz_ptr n, mpz_ptr f) {
    static const unsigned long most[] = {1, 3, 40, 400};
    const struct reference *gmp = run->reference;
    mpz_t power, product;
    gmp->mpz_init_(power);
    gmp->mpz_init_(product);
    size_t kind = run_below(run, 4);
    run_mpz(run, f, kind < 2 ? 1 + run_below(run, run->most / 4 + 1) : 1);
    if (kind >= 2) /* a short one */
        mpz_tdiv_q_2exp(f, f, run_below(run, 64));
    if (mpz_cmpabs_ui(f, 1) <= 0)
        mpz_set_si(f, run_below(run, 2) ? 3 : -6);
    unsigned long e = run_below(run, most[kind] + 1);
    gmp->mpz_pow_ui(power, f, e);
    run_mpz(run, n, 1 + run_below(run, run->most / 2 + 1));
    gmp->mpz_mul(product, n, power);
    mpz_set(n, product);
    gmp->mpz_clear_(power);
    gmp->mpz_clear_(product);
    return e;
}

static void make_removable(struct run *run, struct numbers *x) {
    unsigned long e = make_power(run, x->u[0], x->u[1]);
    size_t nn = mpz_size(x->u[0]), fn = mpz_size(x->u[1]);
    x->eligible = e && fn >= LEAST && nn >= fn + LEAST;
}

/* Tests mpn_divexact against mpz_divexact.  The quotient is written to a separate place, or over
 * the numerator. */
static int run_divexact(struct run *run, const void *how) {
    mpz_t n, d, q;
    size_t qn;
    (void)how;
    mpz_inits(n, d, NULL);
    run->reference->mpz_init_(q);
    make_multiple(run, n, d, &qn);
    size_t nn = mpz_size(n), dn = mpz_size(d);
    run->reference->mpz_divexact(q, n, d);
    mp_ptr np = mpz_limbs_modify(n, (mp_size_t)nn);
    mp_ptr room = run_room((nn - dn + 1) * sizeof *room), qp = run_below(run, 2) ? np : room;
    run->eligible += is_eligible(qn, d);
    run->reference->mpn_divexact(room, np, (mp_size_t)nn, mpz_limbs_read(d), (mp_size_t)dn);
    intercepted.mpn_divexact(qp, np, (mp_size_t)nn, mpz_limbs_read(d), (mp_size_t)dn);
    int good = same_limbs(qp, mpz_limbs_read(q), mpz_size(q)) &&
               (mpz_size(q) == nn - dn + 1 || qp[nn - dn] == 0);
    if (!good)
        fprintf(stderr, "differential: mpn_divexact of %zu by %zu limbs: wrong\n", nn, dn);
    free(room);
    run->reference->mpz_clear_(q);
    mpz_clears(n, d, NULL);
    return good;
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_divisible_p, 2, 0, make_divisible, f->mpz_divisible_p(u[0], u[1]) != 0)                  \
    X(mpz_congruent_p, 3, 0, make_congruent, f->mpz_congruent_p(u[0], u[1], u[2]) != 0)            \
    X(mpz_remove, 2, 1, make_removable, (long)f->mpz_remove(r[0], u[0], u[1]))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_divisible[] = {
    {"mpn_divexact", run_divexact, NULL}, FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
