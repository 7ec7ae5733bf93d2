/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fixed-point operations computed by GMP, for comparison, and operands with long carries and
 * extreme values. */
#ifndef MPGPU_TEST_FIXED_GMP_H
#define MPGPU_TEST_FIXED_GMP_H

#include <math.h>
#include <string.h>

#include "kernels/fixed/operations.h"
#include "tests/support/testing.h"

static const char *const operation_names[FIXED_OPERATIONS] = {
    "add", "sub", "neg", "mul", "sqr", "shift left", "shift right", "compare", "sign"};

static inline uint32_t fixed_word(void) {
    static const uint32_t edges[] = {0, ~0u, 0x80000000, 0x7fffffff, 1, 0xfffffffe, 0x80000001};
    unsigned long kind = testing_below(14);
    return kind < 7 ? edges[kind] : (uint32_t)gmp_urandomb_ui(*testing_random(), 32);
}

/* Fills `numbers` numbers of `words` words. In some, all words are random; in some, each word is
 * random or extreme; in others all words are the same. */
static inline void fixed_fill(uint32_t *x, size_t numbers, unsigned words) {
    for (size_t i = 0; i < numbers; i++) {
        unsigned long kind = testing_below(4);
        uint32_t same = fixed_word();
        for (unsigned k = 0; k < words; k++)
            x[i * words + k] = kind == 0   ? (uint32_t)gmp_urandomb_ui(*testing_random(), 32)
                               : kind == 1 ? same
                                           : fixed_word();
    }
}

/* Replaces z by the number in the range of two's complement numbers of `words` words that equals z
 * modulo 2^(32 words). */
static inline void fixed_wrap(mpz_t z, unsigned words) {
    mpz_t power;
    mpz_init(power);
    mpz_setbit(power, 32 * words);
    mpz_fdiv_r_2exp(z, z, 32 * words);
    if (mpz_tstbit(z, 32 * words - 1))
        mpz_sub(z, z, power);
    mpz_clear(power);
}

/* Sets the fixed-point number w of `words` words to z / 2^(32 (words - 1)), modulo 2^32. */
static inline void fixed_from_mpz(uint32_t *w, unsigned words, const mpz_t z) {
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, z, 32 * words);
    memset(w, 0, words * sizeof *w);
    mpz_export(w, NULL, -1, sizeof *w, 0, 0, low);
    mpz_clear(low);
}

/* Sets the fixed-point number w of `words` words to d, rounded towards 0. */
static inline void fixed_from_double(uint32_t *w, unsigned words, double d) {
    mpz_t z;
    mpz_init(z);
    mpz_set_d(z, ldexp(d, 32 * (int)(words - 1)));
    fixed_from_mpz(w, words, z);
    mpz_clear(z);
}

static inline void fixed_by_gmp(mpz_t r, const mpz_t u, const mpz_t v, unsigned words,
                                unsigned operation, uint32_t count) {
    const unsigned fraction = 32 * (words - 1);
    int sign = operation == FIXED_OPERATE_SIGN ? mpz_sgn(u) : mpz_cmp(u, v);
    switch (operation) {
    case FIXED_OPERATE_ADD:
        mpz_add(r, u, v);
        break;
    case FIXED_OPERATE_SUB:
        mpz_sub(r, u, v);
        break;
    case FIXED_OPERATE_NEG:
        mpz_neg(r, u);
        break;
    case FIXED_OPERATE_MUL:
    case FIXED_OPERATE_SQR:
        mpz_mul(r, u, operation == FIXED_OPERATE_SQR ? u : v);
        mpz_fdiv_q_2exp(r, r, fraction);
        break;
    case FIXED_OPERATE_SHIFT_LEFT:
        mpz_mul_2exp(r, u, count < 32 * words ? count : 32 * words);
        break;
    case FIXED_OPERATE_SHIFT_RIGHT:
        mpz_fdiv_q_2exp(r, u, count);
        break;
    default:
        mpz_set_si(r, (sign > 0) - (sign < 0));
        mpz_mul_2exp(r, r, fraction);
    }
}

/* Computes the expected results of an operation for arrays of numbers. */
static inline void fixed_right(uint32_t *right, const uint32_t *u, const uint32_t *v,
                               size_t numbers, unsigned words, unsigned operation, uint32_t count) {
    mpz_t a, b, r;
    mpz_inits(a, b, r, NULL);
    for (size_t at = 0; at < numbers * words; at += words) {
        mpz_import(a, words, -1, sizeof *u, 0, 0, u + at);
        mpz_import(b, words, -1, sizeof *v, 0, 0, v + at);
        fixed_wrap(a, words);
        fixed_wrap(b, words);
        fixed_by_gmp(r, a, b, words, operation, count);
        fixed_from_mpz(right + at, words, r);
    }
    mpz_clears(a, b, r, NULL);
}

/* Checks that all numbers equal the expected ones. */
static inline void fixed_compare_all(const uint32_t *r, const uint32_t *right, size_t numbers,
                                     unsigned words, unsigned operation, uint32_t count) {
    for (size_t i = 0; i < numbers * words; i++)
        ck_assert_msg(
            r[i] == right[i], "%s of %u words (count %u): word %zu of number %zu: %x, not %x",
            operation_names[operation], words, count, i % words, i / words, r[i], right[i]);
}

/* Returns a count for a shift: mostly up to a little more than the bits of a number, sometimes
 * below 4, rarely any 32-bit value. */
static inline uint32_t fixed_count(unsigned words) {
    unsigned long kind = testing_below(8);
    return kind == 0 ? (uint32_t)gmp_urandomb_ui(*testing_random(), 32)
                     : (uint32_t)testing_below(kind < 3 ? 4 : 32 * words + 40);
}

#endif
