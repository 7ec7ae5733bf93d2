/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Probable primes: primes, products of two, squares of primes, pseudoprimes, random numbers; and
 * the next prime. */
#include <stdio.h>

#include "tests/differential/differential.h"

/* Of more limbs GMP's own functions take a while. */
enum { MOST_LIMBS = 4 };

/* x = the next prime after something of n limbs. */
static void make_prime(struct run *run, mpz_ptr x, size_t n) {
    mpz_t from;
    mpz_init(from);
    run_mpz(run, from, n);
    run->reference->mpz_nextprime(x, from);
    mpz_clear(from);
}

/* (k+1) (2k+1), both prime if possible: many of these pass for several bases. */
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

/* 1 where it is a prime of several limbs. */
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

static int run_probab_prime(struct run *run, const void *how) {
    static const int rounds[] = {0, 1, 24, 25, 30};
    mpz_t x;
    (void)how;
    mpz_init(x);
    run->eligible += make(run, x);
    if (run_below(run, 8) == 0)
        x->_mp_size = -x->_mp_size;
    int r = rounds[run_below(run, 5)];
    int wanted = run->reference->mpz_probab_prime_p(x, r),
        own = intercepted.mpz_probab_prime_p(x, r);
    if (own != wanted)
        gmp_fprintf(stderr, "differential: mpz_probab_prime_p(%Zd, %d): %d, not %d\n", x, r, own,
                    wanted);
    mpz_clear(x);
    return own == wanted;
}

/* Of what has no factor below 7. */
static int run_millerrabin(struct run *run, const void *how) {
    mpz_t x;
    (void)how;
    mpz_init(x);
    int eligible = make(run, x), own = 0, wanted = 0;
    x->_mp_size = (int)mpz_size(x);
    int r = (int)run_below(run, 30);
    if (mpz_cmp_ui(x, 1000) > 0 && mpz_gcd_ui(NULL, x, 2 * 3 * 5 * 7 * 11 * 13 * 17) == 1) {
        run->eligible += eligible;
        wanted = run->reference->mpz_millerrabin(x, r);
        own = intercepted.mpz_millerrabin(x, r);
    }
    if (own != wanted)
        gmp_fprintf(stderr, "differential: mpz_millerrabin(%Zd, %d): %d, not %d\n", x, r, own,
                    wanted);
    mpz_clear(x);
    return own == wanted;
}

/* Mostly a bit below a prime: what lies between takes a device a while. */
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

static int run_nextprime(struct run *run, const void *how) {
    mpz_t x, own, wanted;
    (void)how;
    mpz_inits(x, own, NULL);
    run->reference->mpz_init_(wanted);
    make_start(run, x);
    mpz_ptr r = run_below(run, 2) ? x : own;
    run->reference->mpz_nextprime(wanted, x);
    run->eligible += mpz_sgn(x) > 0 && mpz_size(x) > 1;
    intercepted.mpz_nextprime(r, x);
    int good = same_mpz(r, wanted);
    if (!good)
        gmp_fprintf(stderr, "differential: mpz_nextprime: %Zd is wrong\n", r);
    run->reference->mpz_clear_(wanted);
    mpz_clears(x, own, NULL);
    return good;
}

const struct differential_case differential_prime[] = {
    {"mpz_probab_prime_p", run_probab_prime, NULL},
    {"mpz_millerrabin", run_millerrabin, NULL},
    {"mpz_nextprime", run_nextprime, NULL},
    {NULL, NULL, NULL},
};
