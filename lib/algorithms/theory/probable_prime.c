/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Probable primes: R. Baillie and S. Wagstaff, Lucas Pseudoprimes, 1980; C. Pomerance, J. Selfridge
 * and S. Wagstaff, The Pseudoprimes to 25 10^9, 1980.
 *
 * The random bases equal GMP's: each test starts a generator anew, with GMP's own state.  So this
 * test and GMP's are wrong for the same numbers, if for any. */
#include "lib/algorithms/theory/probable_prime.h"

#include "lib/algorithms/powm.h"
#include "lib/algorithms/theory/lucas.h"
#include "lib/algorithms/theory/prime_group.h"
#include "lib/gmp/real.h"

/* GMP counts the test of Baillie, Pomerance, Selfridge and Wagstaff as this many rounds. */
enum { ROUNDS_BEFORE = 24 };

/* Limits for the largest prime of the trial division. This prime grows with the square of n's bits,
 * like the work that a found factor saves. */
enum { LEAST_LIMIT = 1 << 10, MOST_LIMIT = 1 << 20, BITS_OF_LIMIT = 30 };

static unsigned long factor_limit(mpz_srcptr n) {
    unsigned long limit = composite_mpz_bits(n) / BITS_OF_LIMIT;
    limit = limit >= LEAST_LIMIT ? MOST_LIMIT : limit * limit;
    return limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
}

/* Returns true if a factor of `product` divides the residue. */
static bool has_common_factor(mp_limb_t residue, mp_limb_t product) {
    while (residue) {
        mp_limb_t rest = product % residue;
        product = residue;
        residue = rest;
    }
    return product != 1;
}

bool probable_prime_has_factor(mpz_srcptr n) {
    struct primes *primes = primes_open(factor_limit(n));
    if (!primes)
        return false;
    struct prime_group g;
    bool found = false;
    prime_group_begin(&g, primes);
    while (!found && prime_group_next(&g, primes))
        found = has_common_factor(prime_group_residue(&g, n), g.product);
    primes_close(primes);
    return found;
}

/* The state of a strong probable-prime test, where n - 1 = 2^k q and q is odd. */
struct strong {
    struct modular *m;
    mpz_t q, y;
    mp_bitcnt_t k;
};

static void strong_init(struct strong *s, struct modular *m) {
    s->m = m;
    mpz_init(s->q);
    mpz_init(s->y);
    real.mpz_sub_ui(s->q, m->n, 1);
    s->k = mpn_scan1(s->q->_mp_d, 0);
    mpz_tdiv_q_2exp(s->q, s->q, s->k);
}

static void strong_clear(struct strong *s) {
    mpz_clear(s->q);
    mpz_clear(s->y);
}

/* Sets s->y to the power of x with the exponent s->q, modulo the tested number. Returns false if
 * memory is missing. */
static bool power(struct strong *s, mpz_srcptr x) {
    if (mpz_cmp_ui(s->q, 1) != 0)
        return powm_mpz(s->m->w, s->y, x, s->q->_mp_d, mpz_size(s->q), s->m->n);
    mpz_set(s->y, x);
    return true;
}

/* Returns true if the tested number passes the test for the base x. Sets s->m->failed if memory is
 * missing. */
static bool passes(struct strong *s, mpz_srcptr x) {
    if (!power(s, x)) {
        s->m->failed = true;
        return false;
    }
    if (mpz_cmp_ui(s->y, 1) == 0)
        return true;
    for (mp_bitcnt_t i = 1; i < s->k && !modular_is_minus_1(s->m, s->y); i++)
        modular_mul(s->m, s->y, s->y, s->y);
    return modular_is_minus_1(s->m, s->y);
}

static bool passes_for_2(struct strong *s) {
    mpz_t two;
    mpz_init(two);
    mpz_set_ui(two, 2);
    bool good = passes(s, two);
    mpz_clear(two);
    return good;
}

/* Tests `rounds` random bases from 3 to (n-1)/2. */
static bool passes_at_random(struct strong *s, int rounds) {
    gmp_randstate_t state;
    mpz_t x, bases;
    bool good = true;
    mpz_init(x);
    mpz_init(bases);
    mpz_tdiv_q_2exp(bases, s->m->n, 1);
    real.mpz_sub_ui(bases, bases, 2);
    gmp_randinit_default(state);
    for (; good && rounds > 0; rounds--) {
        mpz_urandomm(x, state, bases);
        real.mpz_add_ui(x, x, 3);
        good = passes(s, x);
    }
    gmp_randclear(state);
    mpz_clear(x);
    mpz_clear(bases);
    return good;
}

bool probable_prime_decide(struct composite *w, mpz_srcptr n, int rounds, bool *is_prime) {
    struct modular m;
    struct strong s;
    if (!modular_init(&m, w, n))
        return false;
    strong_init(&s, &m);
    *is_prime = passes_for_2(&s) && lucas_passes(&m) &&
                (rounds <= ROUNDS_BEFORE || passes_at_random(&s, rounds - ROUNDS_BEFORE));
    strong_clear(&s);
    modular_clear(&m);
    return !m.failed;
}
