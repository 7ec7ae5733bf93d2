/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The known-answer test of the kernels for systems of linear equations A X = B
 * (kernels/matrix/system.cl). A is a product of triangular matrices with its rows in reverse order,
 * so that the kernel must search each pivot. The first column of A is 0 except in the last row. */
#include <stdlib.h>
#include <string.h>

#include "lib/device/verdict.h"
#include "lib/matrix/matrix_system.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { SIDE = 35, COLUMNS = 2, NUMBERS = SIDE * COLUMNS + 1, A_BITS = 47, B_BITS = 62 };

struct system {
    int64_t a[SIDE][SIDE], b[SIDE][COLUMNS], x[SIDE][COLUMNS];
    uint32_t diagonal[SIDE];
};

/* Return entry (i, j) of a matrix: `lower` of L, below 2^8; `upper` of U, below 2^31. */
static int64_t lower(const uint32_t *random, int i, int j) {
    return i == j ? 1 : i < j || j == 0 ? 0 : random[i * SIDE + j] & 0xff;
}

static int64_t upper(const uint32_t *random, int i, int j) {
    return i > j ? 0 : (random[SIDE * SIDE - 1 - i * SIDE - j] >> 1) | 1;
}

/* Sets the entries of X to random signed bytes, and computes A and B. Entries of A are below 37
 * 2^39 < 2^45, and entries of B below 37 2^45 2^7 < 2^58 in magnitude. */
static void make(struct system *y, const uint32_t *random) {
    memset(y, 0, sizeof *y);
    for (int i = 0; i < SIDE; i++) {
        y->diagonal[i] = (uint32_t)upper(random, i, i);
        for (int j = 0; j < COLUMNS; j++)
            y->x[i][j] = (int64_t)(random[i + SIDE * j] & 0xff) - 128;
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++)
                y->a[SIDE - 1 - i][j] += lower(random, i, k) * upper(random, k, j);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < SIDE; k++)
                y->b[i][j] += y->a[i][k] * y->x[k][j];
}

/* Adds c {d, words} to {to, words}, in two's complement. */
static void add_product(uint32_t *to, const uint32_t *d, uint32_t words, int64_t c) {
    known_answer_addmul(to, words, d, words, (uint32_t)(c < 0 ? -c : c));
    if (c >= 0)
        return;
    uint64_t carry = 1;
    for (uint32_t i = 0; i < words; i++, carry >>= 32)
        to[i] = (uint32_t)(carry += (uint32_t)~to[i]);
}

/* Computes the right result. Reversing SIDE rows takes an odd number of swaps, so the determinant
 * is minus the product of U's diagonal. */
static void expect(uint32_t *right, const struct system *y, uint32_t words) {
    uint32_t product[2 * SIDE] = {1}, before[SIDE];
    for (int i = 0; i < SIDE; i++) {
        memcpy(before, product, sizeof before);
        memset(product, 0, sizeof product);
        known_answer_addmul(product, 2 * SIDE, before, SIDE, y->diagonal[i]);
    }
    memset(right, 0, (size_t)NUMBERS * words * sizeof *right);
    for (int e = 0; e < NUMBERS - 1; e++)
        add_product(right + (size_t)e * words, product, words, -y->x[e / COLUMNS][e % COLUMNS]);
    add_product(right + (size_t)(NUMBERS - 1) * words, product, words, -1);
}
_Static_assert(SIDE *(SIDE - 1) / 2 % 2 == 1, "an odd permutation");

/* Solves the system *op, and compares the result with {right, words}. */
static void verify_one(struct known_answer *t, struct matrix_system op, const uint32_t *right,
                       size_t words) {
    KNOWN_ANSWER(t, verdict_begin(t->s));
    KNOWN_ANSWER(t, matrix_system_compute(t->s, &op));
    KNOWN_ANSWER(t, verdict_end(t->s));
    known_answer_compare(t, op.r, 0, right, words, "system of linear equations");
}

static void verify_system(struct known_answer *t) {
    const uint64_t bits = matrix_system_bits(SIDE, COLUMNS, A_BITS, B_BITS);
    const uint32_t words = (uint32_t)(bits / 64 + 1) * 2;
    struct matrix_system op = {.side = SIDE,
                               .columns = COLUMNS,
                               .a_words = 2,
                               .b_words = 2,
                               .r_words = words,
                               .bits = bits,
                               .a = t->x[0].mem,
                               .b = t->x[1].mem,
                               .r = t->r.mem};
    struct system *y = malloc(sizeof *y);
    uint32_t *right = malloc((size_t)NUMBERS * words * sizeof *right);
    if (y && right) {
        make(y, t->host[0]);
        expect(right, y, words);
        known_answer_up(t, op.a, 0, y->a, sizeof y->a / sizeof *right);
        known_answer_up(t, op.b, 0, y->b, sizeof y->b / sizeof *right);
        verify_one(t, op, right, (size_t)NUMBERS * words);
        op.columns = 0;
        verify_one(t, op, right + (size_t)(NUMBERS - 1) * words, words);
    } else
        t->status = GPU_NOMEM;
    free(right);
    free(y);
}

enum gpu_status selftest_system(struct context *s) {
    return known_answer_ensure(s, KNOWN_BATCH + GPU_PROGRAM_matrix_system, (size_t)3 * SIDE * SIDE,
                               verify_system, NULL);
}
