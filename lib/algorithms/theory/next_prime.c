/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The next probable prime: odd numbers from n on are sieved, and the remaining ones are tested, as
 * GMP does. */
#include "lib/algorithms/theory/next_prime.h"

#include <stdlib.h>
#include <string.h>

#include "lib/algorithms/theory/prime_group.h"
#include "lib/algorithms/theory/probable_prime.h"
#include "lib/gmp/real.h"

/* The number of rounds that mpz_nextprime tests a number with. */
enum { ROUNDS = 25 };

/* Limits for the largest prime of the sieve, which grows with the square of n's bits. */
enum { LEAST_LIMIT = 1 << 8, MOST_LIMIT = 1 << 22, MOST_BITS = 1 << 14 };

/* A sieve has ODDS_PER_BIT odd numbers for each bit of n, at most MOST_ODDS.  On average six of
 * them are primes. */
enum { ODDS_PER_BIT = 2, MOST_ODDS = 1 << 24 };

/* If MOST_SIEVES sieves in a row contain no prime, products must be wrong. The search ends then,
 * because otherwise the program could loop endlessly. */
enum { MOST_SIEVES = 8 };

struct sieve {
    mpz_t first; /* odd */
    struct primes *primes;
    size_t odds;
    unsigned char *composite; /* composite[i] is true if first + 2 i has a small factor */
};

static bool sieve_init(struct sieve *s, mpz_srcptr n) {
    size_t bits = composite_mpz_bits(n);
    unsigned long limit = bits >= MOST_BITS ? MOST_LIMIT : bits * bits / 64;
    s->primes = primes_open(limit < LEAST_LIMIT ? LEAST_LIMIT : limit);
    s->odds = bits < MOST_ODDS / ODDS_PER_BIT ? bits * ODDS_PER_BIT : MOST_ODDS;
    s->composite = malloc(s->odds);
    mpz_init(s->first);
    real.mpz_add_ui(s->first, n, 1);
    s->first->_mp_d[0] |= 1;
    return s->primes && s->composite;
}

static void sieve_clear(struct sieve *s) {
    if (s->primes)
        primes_close(s->primes);
    free(s->composite);
    mpz_clear(s->first);
}

/* Strikes the multiples of p.  `residue` is s->first modulo p. */
static void strike(struct sieve *s, unsigned long p, unsigned long residue) {
    unsigned long to = residue ? p - residue : 0; /* distance from s->first to the next multiple */
    for (size_t i = (to % 2 ? to + p : to) / 2; i < s->odds; i += p)
        s->composite[i] = 1;
}

static void sieve_all(struct sieve *s) {
    struct prime_group g;
    memset(s->composite, 0, s->odds);
    prime_group_begin(&g, s->primes);
    while (prime_group_next(&g, s->primes)) {
        mp_limb_t residue = prime_group_residue(&g, s->first);
        while (g.count-- > 0)
            strike(s, g.p[g.count], residue % g.p[g.count]);
    }
}

/* Finds the first probable prime among the numbers that the sieve has not struck, and copies it to
 * r.  Returns false if there is none, or if memory is missing. */
static bool find(struct composite *w, const struct sieve *s, mpz_ptr r, bool *done) {
    bool is_prime = false;
    *done = true;
    for (size_t i = 0; i < s->odds && *done && !is_prime; i++) {
        if (s->composite[i])
            continue;
        real.mpz_add_ui(r, s->first, 2 * i);
        *done = probable_prime_decide(w, r, ROUNDS, &is_prime);
    }
    return *done && is_prime;
}

bool next_prime(struct composite *w, mpz_ptr r, mpz_srcptr n) {
    struct sieve s;
    mpz_t x;
    bool done = sieve_init(&s, n), found = false;
    mpz_init(x);
    for (int i = 0; done && !found && i < MOST_SIEVES; i++) {
        sieve_all(&s);
        found = find(w, &s, x, &done);
        real.mpz_add_ui(s.first, s.first, 2 * s.odds);
    }
    if (found)
        mpz_set(r, x);
    mpz_clear(x);
    sieve_clear(&s);
    return done && found;
}
