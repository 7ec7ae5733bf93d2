/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Perfect squares and powers: powers of numbers with small factors and without, what is beside
 * them, powers times a factor, random numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential.h"

/* Limbs of a root of random bits that takes a product. */
enum { LEAST = 8, MOST_LIMBS = 400 };

/* A root that is not made of small factors alone; 0 where it may be. */
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

/* The power changed a bit. */
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

/* u = root^e or near; 1 if it takes a product to tell. */
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

struct function {
    const char *name;
    int squares, is_limbs;
};

static int apply(const struct reference *f, mpz_srcptr u, const struct function *how) {
    mp_srcptr up = mpz_limbs_read(u);
    mp_size_t un = (mp_size_t)mpz_size(u);
    if (how->is_limbs)
        return how->squares ? f->mpn_perfect_square_p(up, un) : f->mpn_perfect_power_p(up, un);
    return how->squares ? f->mpz_perfect_square_p(u) : f->mpz_perfect_power_p(u);
}

static int run_perfect(struct run *run, const void *argument) {
    const struct function *how = argument;
    mpz_t u;
    mpz_init(u);
    int takes_product = make(run, u, how->squares);
    if (how->is_limbs)
        u->_mp_size = (int)mpz_size(u);
    if (how->is_limbs && mpz_sgn(u) == 0)
        mpz_set_ui(u, 1);
    run->eligible += takes_product;
    int wanted = apply(run->reference, u, how) != 0, own = apply(&intercepted, u, how) != 0;
    if (own != wanted)
        fprintf(stderr, "differential: %s of %zu limbs: %d, not %d\n", how->name, mpz_size(u), own,
                wanted);
    mpz_clear(u);
    return own == wanted;
}

static const struct function square = {"mpz_perfect_square_p", 1, 0},
                             limbs_square = {"mpn_perfect_square_p", 1, 1},
                             power = {"mpz_perfect_power_p", 0, 0},
                             limbs_power = {"mpn_perfect_power_p", 0, 1};

const struct differential_case differential_perfect[] = {
    {"mpz_perfect_square_p", run_perfect, &square},
    {"mpn_perfect_square_p", run_perfect, &limbs_square},
    {"mpz_perfect_power_p", run_perfect, &power},
    {"mpn_perfect_power_p", run_perfect, &limbs_power},
    {NULL, NULL, NULL},
};
