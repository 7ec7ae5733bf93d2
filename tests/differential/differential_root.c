/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests higher roots of powers, of their neighbours, and of random numbers of either sign.  The
 * result may be written over any operand. */
#include "tests/differential/differential_numbers.h"

/* LEAST_BITS: the device computes roots with at least this many bits. */
enum { LEAST_BITS = 256, LEAST = 17 };

/* Sets u to a number of about `limbs` limbs: random, or an nth power or one of its neighbours. */
static void make(struct run *run, mpz_ptr u, unsigned long n, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t power;
    size_t kind = run_below(run, 4);
    run_mpz(run, u, kind ? 1 + limbs / n : limbs);
    if (n % 2 == 0)
        u->_mp_size = (int)mpz_size(u);
    if (!kind)
        return;
    gmp->mpz_init_(power);
    gmp->mpz_pow_ui(power, u, n);
    if (kind == 1)
        gmp->mpz_add_ui(power, power, 1);
    else if (kind == 2 && mpz_sgn(power) > 0)
        gmp->mpz_sub_ui(power, power, 1);
    mpz_set(u, power);
    gmp->mpz_clear_(power);
}

static int is_eligible(mpz_srcptr u, unsigned long n) {
    return n > 2 && mpz_size(u) >= LEAST && (mpz_size(u) - 1) * GMP_NUMB_BITS / n >= LEAST_BITS;
}

static void make_operands(struct run *run, struct numbers *x) {
    unsigned long n = run_below(run, 4) ? 2 + run_below(run, 5) : 1 + run_below(run, 400);
    make(run, x->u[0], n, 1 + run_below(run, run->most));
    x->word[0] = n;
    x->eligible = is_eligible(x->u[0], n);
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_root, 1, 1, make_operands, f->mpz_root(r[0], u[0], w[0]) != 0)                           \
    X(mpz_rootrem, 1, 2, make_operands, (f->mpz_rootrem(r[0], r[1], u[0], w[0]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_root[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
