/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests probable primes and the next prime, with primes, products of two primes, squares of primes,
 * pseudoprimes and random numbers. */
#include "tests/differential/differential_numbers.h"

/* The most limbs of a number, because GMP's own functions are slow above. */
enum { MOST_LIMBS = 4 };

/* Sets x to the next prime after a random number of n limbs. */
static void make_prime(struct run *run, mpz_ptr x, size_t n) {
    mpz_t from;
    mpz_init(from);
    run_mpz(run, from, n);
    run->reference->mpz_nextprime(x, from);
    mpz_clear(from);
}

/* Sets x to (k+1) (2k+1), with both factors prime if possible.  Many such products pass the
 * Miller-Rabin test for several bases. */
static void make_pseudoprime(struct run *run, mpz_ptr x) {
    const struct reference *gmp = run->reference;
    mpz_t p, q;
    gmp->mpz_init_(p);
    gmp->mpz_init_(q);
    make_prime(run, p, 1);
    for (int i = 0; i < 100; i++) {
        gmp->mpz_add(q, p, p);
        gmp->mpz_sub_ui(q, q, 1);
        if (gmp->mpz_probab_prime_p(q, 25))
            break;
        gmp->mpz_nextprime(p, p);
    }
    gmp->mpz_mul(x, p, q);
    gmp->mpz_clear_(p);
    gmp->mpz_clear_(q);
}

/* Sets x to a prime, a pseudoprime, a product or a random number.  Returns 1 if x is a prime of
 * several limbs. */
static int make(struct run *run, mpz_ptr x) {
    const struct reference *gmp = run->reference;
    mpz_t number;
    gmp->mpz_init_(number);
    size_t n = 1 + run_below(run, MOST_LIMBS), kind = run_below(run, 6);
    if (kind < 3)
        make_prime(run, number, n);
    else if (kind == 3)
        make_pseudoprime(run, number);
    if (kind == 2) {
        gmp->mpz_add_ui(number, number, 2 * run_below(run, 2));
        gmp->mpz_mul(number, number, number);
    }
    mpz_set(x, number);
    if (kind > 3)
        run_mpz(run, x, n);
    gmp->mpz_clear_(number);
    return kind < 2 && mpz_size(x) > 1;
}

static void make_probable(struct run *run, struct numbers *x) {
    static const unsigned long rounds[] = {0, 1, 24, 25, 30};
    x->eligible = make(run, x->u[0]);
    if (run_below(run, 8) == 0)
        x->u[0]->_mp_size = -x->u[0]->_mp_size;
    x->word[0] = rounds[run_below(run, 5)];
}

/* Sets the operand to a number that has no factor below 19. */
static void make_rough(struct run *run, struct numbers *x) {
    const unsigned long small = 2 * 3 * 5 * 7 * 11 * 13 * 17;
    do {
        x->eligible = make(run, x->u[0]);
        x->u[0]->_mp_size = (int)mpz_size(x->u[0]);
    } while (mpz_cmp_ui(x->u[0], 1000) <= 0 || mpz_gcd_ui(NULL, x->u[0], small) != 1);
    x->word[0] = run_below(run, 30);
}

/* Sets x to the starting point for a next prime: mostly slightly less than a prime, because the
 * device takes long if many candidates must be tested. */
static void make_start(struct run *run, mpz_ptr x) {
    mpz_t prime;
    size_t n = 1 + run_below(run, MOST_LIMBS);
    if (run_below(run, 8) == 0) {
        run_mpz(run, x, n);
        return;
    }
    run->reference->mpz_init_(prime);
    make_prime(run, prime, n);
    run->reference->mpz_sub_ui(prime, prime, run_below(run, 20));
    mpz_set(x, prime);
    run->reference->mpz_clear_(prime);
}

static void make_below(struct run *run, struct numbers *x) {
    make_start(run, x->u[0]);
    x->eligible = mpz_sgn(x->u[0]) > 0 && mpz_size(x->u[0]) > 1;
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_probab_prime_p, 1, 0, make_probable, f->mpz_probab_prime_p(u[0], (int)w[0]))             \
    X(mpz_millerrabin, 1, 0, make_rough, f->mpz_millerrabin(u[0], (int)w[0]))                      \
    X(mpz_nextprime, 1, 1, make_below, (f->mpz_nextprime(r[0], u[0]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_prime[] = {FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
