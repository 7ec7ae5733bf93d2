/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the primes of a product of matrices, and computes the constants that its kernels read. */
#include "lib/matrix/matrix_plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/matrix/matrix.h"
#include "lib/base/ceil_div.h"

enum { LARGEST = 1 << 14, SMALLEST = 1 << 7 };

/* The product M of all primes; x[0] is its lowest word. */
struct modulus {
    uint32_t *x;
    uint32_t words;
};

static bool is_prime(uint32_t n) {
    for (uint32_t d = 3; d * d <= n; d += 2)
        if (n % d == 0)
            return false;
    return true;
}

static void multiply(struct modulus *m, uint32_t p) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < m->words; i++) {
        carry += (uint64_t)m->x[i] * p;
        m->x[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        m->x[m->words++] = (uint32_t)carry;
}

/* Returns true if m >= 2^bits. */
static bool reaches(const struct modulus *m, uint64_t bits) {
    return m->words > bits / 32 + 1 ||
           (m->words == bits / 32 + 1 && m->x[m->words - 1] >> bits % 32 != 0);
}

/* Chooses primes whose product is at least 2^(bits + 2), from the largest downwards. Returns their
 * number. */
static uint32_t choose(uint32_t *prime, struct modulus *m, uint64_t bits) {
    uint32_t count = 0;
    m->words = 1;
    m->x[0] = 1;
    for (uint32_t p = LARGEST - 1; p > SMALLEST && !reaches(m, bits + 2); p -= 2)
        if (is_prime(p)) {
            prime[count++] = p;
            multiply(m, p);
        }
    return count;
}

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t p) {
    uint32_t r = 1;
    for (base %= p; exponent; exponent >>= 1, base = base * base % p)
        if (exponent & 1)
            r = r * base % p;
    return r;
}

/* Sets {to, width} to the lowest words of m / p, where p is one of the primes. Returns (m / p) mod
 * p. */
static uint32_t divide(uint32_t *to, uint32_t width, const struct modulus *m, uint32_t p) {
    const uint64_t shift = (UINT64_C(1) << 32) % p;
    uint64_t rest = 0, residue = 0;
    for (uint32_t i = m->words; i-- > 0;) {
        rest = rest << 32 | m->x[i];
        const uint32_t q = (uint32_t)(rest / p);
        rest %= p;
        residue = (residue * shift + q) % p;
        if (i < width)
            to[i] = q;
    }
    return (uint32_t)residue;
}

static void fill_prime(uint32_t *entry, uint32_t p, uint32_t scale) {
    const uint64_t inverse = UINT64_MAX / p;
    entry[MATRIX_P] = p;
    entry[MATRIX_INVERSE_LOW] = (uint32_t)inverse;
    entry[MATRIX_INVERSE_HIGH] = (uint32_t)(inverse >> 32);
    entry[MATRIX_SCALE] = scale;
}

/* Sets bits of powers[], the table of powers of 2^8 (kernels/matrix/matrix.h), for prime q and byte
 * i of an entry. */
static void set_power(uint32_t *powers, uint32_t steps, uint32_t q, uint32_t i, uint32_t power) {
    const size_t line = q % 8 * 4 + i % 16 / 4, column = i % 32 / 16 * 2 + q % MATRIX_SPLIT / 8;
    uint32_t *low = powers + line * 4 + column +
                    (size_t)2 * MATRIX_SPLIT_WORDS * (q / MATRIX_SPLIT * steps + i / 32);
    low[0] |= (power & 127) << 8 * (i % 4);
    low[MATRIX_SPLIT_WORDS] |= power >> 7 << 8 * (i % 4);
}

static uint32_t steps_of(uint32_t words) {
    return ceil_div(words, 8);
}

/* Returns for how many primes the table of powers of 2^8 has room: for those in use, and
 * padding. */
static uint32_t split_primes(const struct matrix_plan *plan) {
    return ceil_div(plan->primes, MATRIX_SPLIT) * MATRIX_SPLIT;
}

/* Returns the size of the table of powers of 2^8, in words, for entries of `words` words. */
static uint64_t split_words(const struct matrix_plan *plan, uint32_t words) {
    return (uint64_t)split_primes(plan) / MATRIX_SPLIT * steps_of(words) * 2 * MATRIX_SPLIT_WORDS;
}

/* Fills a part of the table: for each byte i of an entry, the powers 2^(8 i) modulo each prime;
 * then the values of -2^(32 * words - 1) modulo each prime. */
static void fill_split(const struct matrix_plan *plan, uint64_t at, uint32_t words,
                       const uint32_t *prime) {
    const uint32_t steps = steps_of(words);
    uint32_t *powers = plan->table + at, *constants = powers + split_words(plan, words);
    for (uint32_t q = 0; q < plan->primes; q++) {
        uint32_t x = 1;
        for (uint32_t i = 0; i < 4 * words; i++, x = (x << 8) % prime[q])
            set_power(powers, steps, q, i, x);
        constants[q] = prime[q] - power(2, 32 * words - 1, prime[q]);
    }
}

/* Fills a part of the table: for each word w of an entry, the powers 2^(32 w) modulo each prime;
 * then the values of -2^(32 * words) modulo each prime. */
static void fill_powers(const struct matrix_plan *plan, uint64_t at, uint32_t words,
                        const uint32_t *prime) {
    for (uint32_t q = 0; q < plan->primes; q++) {
        const uint64_t p = prime[q], shift = (UINT64_C(1) << 32) % p;
        uint64_t x = 1;
        for (uint32_t w = 0; w < words; w++, x = x * shift % p)
            plan->table[at + (uint64_t)w * plan->padded + q] = (uint32_t)x;
        plan->table[at + (uint64_t)words * plan->padded + q] = (uint32_t)((p - x) % p);
    }
}

static void fill(const struct matrix_plan *plan, const struct matrix_operation *op,
                 const uint32_t *prime, const struct modulus *m) {
    void (*const fill_factor)(const struct matrix_plan *plan, uint64_t at, uint32_t words,
                              const uint32_t *prime) = plan->is_split ? fill_split : fill_powers;
    for (uint32_t q = 0; q < plan->padded; q++)
        fill_prime(plan->table + (size_t)MATRIX_PRIME_WORDS * q, LARGEST - 3, 0);
    for (uint32_t q = 0; q < plan->primes; q++) {
        const uint32_t p = prime[q];
        const uint32_t rest =
            divide(plan->table + plan->weights_at + (uint64_t)q * plan->width, plan->width, m, p);
        fill_prime(plan->table + (size_t)MATRIX_PRIME_WORDS * q, p, power(rest, p - 2, p));
    }
    for (uint32_t i = 0; i < plan->width && i < m->words; i++)
        plan->table[plan->weights_at + (uint64_t)plan->primes * plan->width + i] = m->x[i];
    fill_factor(plan, plan->a_powers_at, op->a_words, prime);
    if (plan->b_powers_at != plan->a_powers_at)
        fill_factor(plan, plan->b_powers_at, op->b_words, prime);
}

/* Returns the size of the part of the table for entries of `words` words. */
static uint64_t words_of_powers(const struct matrix_plan *plan, uint32_t words) {
    return plan->is_split ? split_words(plan, words) + split_primes(plan)
                          : ((uint64_t)words + 1) * plan->padded;
}

/* Sets the indices at which the parts of the table begin. */
static void lay_out(struct matrix_plan *plan, const struct matrix_operation *op) {
    const uint64_t a = words_of_powers(plan, op->a_words);
    const uint64_t b = words_of_powers(plan, op->b_words);
    const bool is_one = op->a_words == op->b_words;
    plan->width = ceil_div(op->r_words, MATRIX_EACH) * MATRIX_EACH;
    plan->a_powers_at = (uint64_t)MATRIX_PRIME_WORDS * plan->padded;
    plan->b_powers_at = is_one ? plan->a_powers_at : plan->a_powers_at + a;
    plan->weights_at = plan->b_powers_at + b;
    plan->words = plan->weights_at + ((uint64_t)plan->primes + 1) * plan->width;
}

bool matrix_plan_init(struct matrix_plan *plan, const struct matrix_operation *op, bool is_split) {
    uint32_t prime[LARGEST / 8], product[MATRIX_MOST_BITS / 32 + 3];
    struct modulus m = {.x = product};
    *plan = (struct matrix_plan){.is_split = is_split, .primes = choose(prime, &m, op->bits)};
    plan->padded = is_split ? plan->primes : ceil_div(plan->primes, MATRIX_EACH) * MATRIX_EACH;
    lay_out(plan, op);
    plan->table = calloc(plan->words, sizeof *plan->table);
    if (plan->table)
        fill(plan, op, prime, &m);
    return plan->table != NULL;
}
