/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The constants of the transform kernels. All are computed from the primes and a generator for
 * each; kernels/common/tables.h documents the layout. */
#include "lib/device/ntt_tables.h"

#include <string.h>

const uint32_t ntt_primes[PRIMES] = {P0, P1, P2, P3, P4};

/* For functions that are inlined into fill_prime. The prime is a constant there, so the compiler
 * replaces divisions by multiplications. */
#define BY_PRIME static inline __attribute__((always_inline))

BY_PRIME uint32_t mul(uint32_t a, uint32_t b, uint32_t p) {
    return (uint32_t)((uint64_t)a * b % p);
}

static uint32_t power(uint32_t a, uint64_t e, uint32_t p) {
    uint32_t r = 1;
    for (; e; e >>= 1, a = mul(a, a, p))
        if (e & 1)
            r = mul(r, a, p);
    return r;
}

static uint32_t inverse(uint32_t a, uint32_t p) {
    return power(a, p - 2, p);
}

/* Returns c 2^32 mod p, the kernels' form of factors. */
BY_PRIME uint32_t montgomery(uint32_t c, uint32_t p) {
    return (uint32_t)(((uint64_t)c << 32) % p);
}

/* dst[i] = w^i in Montgomery form, i < n. */
BY_PRIME void fill_powers(uint32_t *dst, uint32_t w, uint32_t n, uint32_t p) {
    uint32_t x = montgomery(1, p);
    for (uint32_t i = 0; i < n; i++, x = mul(x, w, p))
        dst[i] = x;
}

/* Writes a factor c < p and its quotient floor(2^32 c / p), which Shoup's modular product needs. */
BY_PRIME void put_factor(uint32_t *dst, uint32_t c, uint32_t p) {
    dst[0] = c;
    dst[1] = (uint32_t)(((uint64_t)c << 32) / p);
}

/* Fills the table W of nodes (kernels/common/tables.h). W[b] is the square root of W[b / 2],
 * times sqrt(-1) if b is odd. So W[b + 2^k] = W[b] root_k for b < 2^k, where root_k has order
 * 2^(k + 2). The table is filled level by level. */
BY_PRIME void fill_nodes(uint32_t *dst, uint32_t *words, uint32_t w, uint32_t p) {
    put_factor(dst, 1, p);
    for (unsigned k = 0; k < LOG_TABLE_W; k++) {
        uint32_t root = power(w, 1u << (PRIMES_LOG_ORDER - 2 - k), p);
        for (uint32_t b = 0; b < 1u << k; b++)
            put_factor(dst + 2 * (b + (1u << k)), mul(dst[2 * b], root, p), p);
    }
    for (uint32_t b = 0; b < 1u << LOG_TABLE_V; b++)
        words[b] = montgomery(dst[2 * b], p);
}

/* Fills TABLE_LAST with the entries of TABLE_W in the order in which the kernels of the last levels
 * read them. */
static void fill_last(uint32_t *dst, const uint32_t *w) {
    memcpy(dst, w, 2 * LAST_NODES * sizeof *w);
    for (unsigned l = 1; l < 4; l++)
        for (unsigned n = 0; n < (unsigned)LAST_NODES << l; n += 2)
            memcpy(dst + LAST_PAIRS(l, n % (1u << l) / 2) + 4 * (n >> l), w + 2 * (size_t)n,
                   4 * sizeof *w);
}

/* Fills the tables of one prime p. `generator` generates the multiplicative group modulo p. */
BY_PRIME void fill_prime(uint32_t *table, uint32_t p, uint32_t pinv, uint32_t generator) {
    uint32_t w = power(generator, (p - 1) >> PRIMES_LOG_ORDER, p);
    table[TABLE_P] = p;
    table[TABLE_PINV] = pinv;
    table[TABLE_LOW] = montgomery(1, p);
    table[TABLE_HIGH] = montgomery(table[TABLE_LOW], p);
    table[TABLE_ZERO] = 0;
    table[TABLE_ONE] = 1;
    table[TABLE_OFFSET_FIRST] = montgomery(power(2, 64, p), p);
    table[TABLE_OFFSET] = mul(table[TABLE_OFFSET_FIRST], power(2, 64, p) - 1, p);
    for (unsigned m = 0; m <= PRIMES_LOG_ORDER; m++) {
        table[TABLE_SCALE + m] = mul(table[TABLE_HIGH], inverse(power(2, m, p), p), p);
        put_factor(table + TABLE_SCALE_DIGITS + 2 * m,
                   mul(table[TABLE_SCALE + m], table[TABLE_LOW], p), p);
    }
    fill_nodes(table + TABLE_W, table + TABLE_V, w, p);
    fill_nodes(table + TABLE_W_INVERSE, table + TABLE_V_INVERSE, inverse(w, p), p);
    fill_last(table + TABLE_LAST, table + TABLE_W);
    fill_last(table + TABLE_LAST_INVERSE, table + TABLE_W_INVERSE);
    fill_powers(table + TABLE_FINE, w, 1u << LOG_FINE, p);
    fill_powers(table + TABLE_COARSE, power(w, 1u << LOG_FINE, p),
                1u << (PRIMES_LOG_ORDER - LOG_FINE), p);
}

void ntt_tables_fill(uint32_t *tables) {
    _Static_assert(PRIMES == 5, "each has a line here");
    fill_prime(tables, P0, P0_INV, 10);
    fill_prime(tables + TABLE_WORDS, P1, P1_INV, 29);
    fill_prime(tables + 2 * TABLE_WORDS, P2, P2_INV, 13);
    fill_prime(tables + 3 * TABLE_WORDS, P3, P3_INV, 31);
    fill_prime(tables + 4 * TABLE_WORDS, P4, P4_INV, 5);
}
