/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether u = r^k for some r and a prime k; primes suffice.
 *
 * - The multiplicity of each prime factor of u is a multiple of k.  Most numbers have a small prime
 *   factor exactly once, so they are no powers.  One division of u by the product of all primes up
 *   to a limit yields u's residues modulo these primes.
 * - All other factors are above that limit: so k is at most log u / log limit.
 * - Modulo a prime p with p = 1 modulo k, only one of k residues is a k-th power.  So u is tested
 *   modulo such primes.
 * - Roots decide the rest. */
#include "lib/algorithms/theory/perfect_power.h"

#include <stdint.h>
#include <stdlib.h>

#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/root.h"
#include "lib/algorithms/theory/divisible.h"
#include "lib/algorithms/theory/odd_root.h"
#include "lib/algorithms/theory/prime_group.h"
#include "lib/algorithms/theory/square.h"
#include "lib/gmp/real.h"

/* u is divided by the primes up to a limit: u's bits / BITS_OF_LIMIT, at least LEAST_LIMIT and at
 * most MOST_LIMIT. A root takes long, so it is computed only for numbers that pass the tests by
 * residues. One in ENOUGH numbers that are no powers passes, or more if the limit leaves too few
 * primes. */
enum { LEAST_LIMIT = 1 << 6, MOST_LIMIT = 1 << 17, BITS_OF_LIMIT = 32, ENOUGH = 1 << 20 };

/* The number itself is divided by the primes below FIRST. For the other primes, the number's
 * remainder modulo the product of all primes is divided. */
enum { FIRST = 1 << 10 };

struct perfect_power {
    struct composite *w;
    bool is_negative;
    mpz_t y; /* the tested number's absolute value, divided by the factors found so far */
    /* gcd of the multiplicities of the prime factors found so far; 0 if none is found. */
    mp_bitcnt_t gcd;
    unsigned long limit;
    uint32_t *residue; /* residue[i]: the number y modulo 2 i + 1 if this is a prime, otherwise 0 */
};

static mp_bitcnt_t gcd_of(mp_bitcnt_t a, mp_bitcnt_t b) {
    while (b) {
        mp_bitcnt_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Includes a factor's multiplicity `count` in k->gcd.  A negative number is no even power, so
 * factors 2 are removed from k->gcd. */
static void count_factor(struct perfect_power *k, mp_bitcnt_t count) {
    k->gcd = gcd_of(k->gcd, count);
    if (k->is_negative && k->gcd)
        k->gcd >>= __builtin_ctzl(k->gcd);
}

static void take_twos_out(struct perfect_power *k) {
    mp_bitcnt_t twos = mpn_scan1(k->y->_mp_d, 0);
    mpz_tdiv_q_2exp(k->y, k->y, twos);
    if (twos)
        count_factor(k, twos);
}

static void take_out(struct perfect_power *k, unsigned long p) {
    mpz_t f;
    mpz_init(f);
    mpz_set_ui(f, p);
    count_factor(k, divisible_remove(k->w, k->y, k->y, f));
    mpz_clear(f);
}

/* Removes from y the prime factors below FIRST, which it finds by residues of y itself.  These
 * factors decide nearly all numbers. */
static void take_first_out(struct perfect_power *k, struct primes *primes) {
    struct prime_group g;
    prime_group_begin(&g, primes);
    while (k->gcd != 1 && g.next < FIRST && prime_group_next(&g, primes)) {
        mp_limb_t residue = prime_group_residue(&g, k->y);
        for (size_t i = 0; i < g.count && k->gcd != 1; i++)
            if (residue % g.p[i] == 0)
                take_out(k, g.p[i]);
    }
}

/* rest = y modulo the product of all primes up to the limit. */
static void take_rest(struct perfect_power *k, mpz_ptr rest) {
    mpz_t product;
    mpz_init(product);
    real.mpz_primorial_ui(product, k->limit);
    divide_mpz_mod(k->w, rest, k->y, product);
    mpz_clear(product);
}

static void set_residues(struct perfect_power *k, struct primes *primes) {
    struct prime_group g;
    mpz_t rest;
    mpz_init(rest);
    take_rest(k, rest);
    prime_group_begin(&g, primes);
    while (prime_group_next(&g, primes)) {
        mp_limb_t residue = prime_group_residue(&g, rest);
        while (g.count-- > 0)
            k->residue[g.p[g.count] / 2] = (uint32_t)(residue % g.p[g.count]);
    }
    mpz_clear(rest);
}

/* Removes from y the factors up to the limit. Returns true if there were any: the residues of y
 * have changed then, and must be computed again. */
static bool is_taken_out(struct perfect_power *k, struct primes *primes) {
    bool found = false;
    primes_rewind(primes);
    for (unsigned long p = primes_next(primes); p && k->gcd != 1; p = primes_next(primes))
        if (k->residue[p / 2] == 0) {
            take_out(k, p);
            found = true;
        }
    return found;
}

static bool is_over(const struct perfect_power *k) {
    return k->gcd == 1 || mpz_cmp_ui(k->y, 1) == 0;
}

/* Removes small prime factors from y.  Returns false if memory is missing. */
static bool look_for_factors(struct perfect_power *k) {
    struct primes *primes = primes_open(k->limit);
    if (!primes)
        return false;
    take_first_out(k, primes);
    if (!is_over(k))
        set_residues(k, primes);
    if (!is_over(k) && is_taken_out(k, primes) && !is_over(k))
        set_residues(k, primes);
    primes_close(primes);
    return true;
}

static unsigned long power_modulo(unsigned long x, unsigned long e, unsigned long p) {
    unsigned long y = 1;
    for (; e; e >>= 1, x = x * x % p)
        if (e & 1)
            y = y * x % p;
    return y;
}

/* Returns false if y is no k-th power, for k = exponent, modulo one of the primes p = 2 i k + 1
 * below the limit. */
static bool residues_fit(const struct perfect_power *k, unsigned long exponent) {
    unsigned long passed = 1;
    for (unsigned long p = 2 * exponent + 1; p < k->limit && passed < ENOUGH; p += 2 * exponent) {
        if (k->residue[p / 2] == 0)
            continue;
        if (power_modulo(k->residue[p / 2], (p - 1) / exponent, p) != 1)
            return false;
        passed *= exponent;
    }
    return true;
}

static bool is_square(const struct perfect_power *k) {
    mpz_t s, rest;
    if (!square_is_possible(k->y->_mp_d, mpz_size(k->y)))
        return false;
    mpz_init(s);
    mpz_init(rest);
    root_square_mpz(k->w, s, rest, k->y);
    bool is_it = rest->_mp_size == 0;
    mpz_clear(s);
    mpz_clear(rest);
    return is_it;
}

/* Returns true if the tested number is a power with this prime exponent. */
static bool is_power_of(const struct perfect_power *k, unsigned long exponent) {
    if (k->gcd % exponent != 0 || (exponent == 2 && k->is_negative))
        return false;
    return exponent == 2 ? is_square(k)
                         : residues_fit(k, exponent) && odd_root_exists(k->w, k->y, exponent);
}

/* Returns an upper bound of the e for which y is an e-th power. Each prime factor of y is above the
 * limit, so y is above limit^e. */
static unsigned long most_exponent(const struct perfect_power *k) {
    size_t bits = composite_mpz_bits(k->y), of_factor = (size_t)(63 - __builtin_clzl(k->limit));
    return bits / of_factor;
}

/* Tries the prime exponents.  Returns false if memory is missing. */
static bool try_exponents(struct perfect_power *k, bool *is_power) {
    struct primes *primes = primes_open(most_exponent(k) + 3);
    if (!primes)
        return false;
    *is_power = is_power_of(k, 2);
    for (unsigned long e = primes_next(primes); e && !*is_power; e = primes_next(primes))
        *is_power = is_power_of(k, e);
    primes_close(primes);
    return true;
}

static void perfect_power_init(struct perfect_power *k, struct composite *w, mpz_srcptr u) {
    unsigned long limit = composite_mpz_bits(u) / BITS_OF_LIMIT;
    limit = limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
    *k = (struct perfect_power){.w = w, .is_negative = u->_mp_size < 0};
    k->limit = limit > MOST_LIMIT ? MOST_LIMIT : limit;
    k->residue = calloc(k->limit / 2 + 1, sizeof k->residue[0]);
    mpz_init(k->y);
    mpz_set(k->y, u);
    k->y->_mp_size = (int)mpz_size(u);
    take_twos_out(k);
}

bool perfect_power_decide(struct composite *w, mpz_srcptr u, bool *is_power) {
    struct perfect_power k;
    perfect_power_init(&k, w, u);
    bool done = k.residue != NULL;
    if (!is_over(&k))
        done = done && look_for_factors(&k);
    *is_power = k.gcd != 1;
    if (done && !is_over(&k))
        done = try_exponents(&k, is_power);
    free(k.residue);
    mpz_clear(k.y);
    return done;
}
