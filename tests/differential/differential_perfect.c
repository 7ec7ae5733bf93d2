/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests perfect squares and perfect powers with powers of numbers with and without small factors,
 * neighbours of powers, powers times a small factor, and random numbers. */
#include "tests/differential/differential_numbers.h"

/* LEAST: if a random root has at least this many limbs, the device computes a product for its
 * power. */
enum { LEAST = 8, MOST_LIMBS = 400 };

/* Sets r to the root of a power.  Returns 1 only for a root of random bits with at least LEAST
 * limbs; other roots may be short or have only small factors. */
static int make_root(struct run *run, mpz_ptr r, size_t n) {
    if (run_below(run, 2)) {
        run_mpz(run, r, n);
        if (run_below(run, 4) == 0)
            mpz_tdiv_q_2exp(r, r, run_below(run, n * GMP_NUMB_BITS)); /* a short one */
        return 0;
    }
    mp_ptr rp = mpz_limbs_write(r, (mp_size_t)n);
    for (size_t i = 0; i < n; i++)
        rp[i] = run_bits(run) | 1;
    mpz_limbs_finish(r, run_below(run, 2) ? -(mp_size_t)n : (mp_size_t)n);
    return n >= LEAST;
}

/* Changes a power slightly, so that it is probably no power any more. */
static void spoil(struct run *run, mpz_ptr x) {
    static const unsigned long factor[] = {1, 2, 3, 4, 8, 59, 65537, ~0ul};
    const struct reference *gmp = run->reference;
    unsigned long by = factor[run_below(run, sizeof factor / sizeof *factor)];
    switch (run_below(run, 4)) {
    case 0:
        gmp->mpz_add_ui(x, x, by);
        break;
    case 1:
        gmp->mpz_sub_ui(x, x, by);
        break;
    default:
        gmp->mpz_mul_ui(x, x, by);
    }
}

/* Sets u to a power root^e, a changed or negative power, or a random number.  Returns 1 only if the
 * library needs a product to decide whether u is a power. */
static int make(struct run *run, mpz_ptr u, int squares) {
    static const unsigned long exponents[] = {2, 3, 5, 7, 11, 13, 4, 6, 9, 61, 127};
    const struct reference *gmp = run->reference;
    mpz_t root, power;
    size_t most = run->most < MOST_LIMBS ? run->most : MOST_LIMBS;
    size_t which = run_below(run, squares ? 1 : sizeof exponents / sizeof *exponents);
    unsigned long e = exponents[which];
    size_t n = 1 + run_below(run, 1 + most / e);
    mpz_init(root);
    gmp->mpz_init_(power);
    int eligible = make_root(run, root, n);
    gmp->mpz_pow_ui(power, root, e);
    if (run_below(run, 3) == 0) {
        spoil(run, power);
        eligible = 0;
    }
    mpz_set(u, power);
    if (run_below(run, 8) == 0) {
        u->_mp_size = -u->_mp_size;
        eligible = 0;
    }
    if (run_below(run, 16) == 0) {
        run_mpz(run, u, n);
        eligible = 0;
    }
    mpz_clear(root);
    gmp->mpz_clear_(power);
    return eligible;
}

static void make_square(struct run *run, struct numbers *x) {
    x->eligible = make(run, x->u[0], 1);
}

static void make_power(struct run *run, struct numbers *x) {
    x->eligible = make(run, x->u[0], 0);
}

/* Makes u positive, because operands of mpn functions have no sign and are not 0. */
static void lift(mpz_ptr u) {
    u->_mp_size = (int)mpz_size(u);
    if (mpz_sgn(u) == 0)
        mpz_set_ui(u, 1);
}

static void make_square_limbs(struct run *run, struct numbers *x) {
    make_square(run, x);
    lift(x->u[0]);
}

static void make_power_limbs(struct run *run, struct numbers *x) {
    make_power(run, x);
    lift(x->u[0]);
}

#define LIMBS mpz_limbs_read(u[0]), (mp_size_t)mpz_size(u[0])
#define FUNCTIONS(X)                                                                               \
    X(mpz_perfect_square_p, 1, 0, make_square, f->mpz_perfect_square_p(u[0]) != 0)                 \
    X(mpn_perfect_square_p, 1, 0, make_square_limbs, f->mpn_perfect_square_p(LIMBS) != 0)          \
    X(mpz_perfect_power_p, 1, 0, make_power, f->mpz_perfect_power_p(u[0]) != 0)                    \
    X(mpn_perfect_power_p, 1, 0, make_power_limbs, f->mpn_perfect_power_p(LIMBS) != 0)
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_perfect[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
