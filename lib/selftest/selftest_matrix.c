/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The known-answer test of the kernels for products of matrices (kernels/matrix/). The test
 * of short entries has two tiles of lines and three of terms; all entries have long runs of ones or
 * zeros. */
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/matrix_long.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { SIDE = 66, A_WORDS = 3, B_WORDS = 2, R_WORDS = 6, ENTRIES = SIDE * SIDE };
_Static_assert(R_WORDS == 2 * A_WORDS, "the result has room");

/* Sets {to, R_WORDS} to the number {x, words} in two's complement. */
static void extend(uint32_t *to, const uint32_t *x, size_t words) {
    for (size_t i = 0; i < R_WORDS; i++)
        to[i] = i < words ? x[i] : 0 - (x[words - 1] >> 31);
}

/* Adds a b to {r, R_WORDS}. */
static void add_product(uint32_t *r, const uint32_t *a, const uint32_t *b) {
    uint32_t x[R_WORDS], y[R_WORDS];
    extend(x, a, A_WORDS);
    extend(y, b, B_WORDS);
    for (size_t i = 0; i < R_WORDS; i++)
        known_answer_addmul(r + i, R_WORDS - i, y, R_WORDS - i, x[i]);
}

/* Computes the product on the host. */
static void multiply(uint32_t *r, const uint32_t *a, const uint32_t *b) {
    memset(r, 0, (size_t)ENTRIES * R_WORDS * sizeof *r);
    for (size_t e = 0; e < ENTRIES; e++)
        for (size_t i = 0; i < SIDE; i++)
            add_product(r + e * R_WORDS, a + (e / SIDE * SIDE + i) * A_WORDS,
                        b + (i * SIDE + e % SIDE) * B_WORDS);
}

static void verify_matrix(struct known_answer *t) {
    const struct matrix_operation op = {.rows = SIDE,
                                        .inner = SIDE,
                                        .columns = SIDE,
                                        .a_words = A_WORDS,
                                        .b_words = B_WORDS,
                                        .r_words = R_WORDS,
                                        .bits = 32 * (A_WORDS + B_WORDS) - 2 + 7,
                                        .a = t->x[0].mem,
                                        .b = t->x[1].mem,
                                        .r = t->r.mem};
    uint32_t *right = malloc((size_t)ENTRIES * R_WORDS * sizeof *right);
    if (!right)
        t->status = GPU_NOMEM;
    KNOWN_ANSWER(t, matrix_compute(t->s, &op));
    if (t->status == GPU_OK)
        multiply(right, t->host[0], t->host[1]);
    known_answer_compare(t, t->r.mem, 0, right, (size_t)ENTRIES * R_WORDS, "product of matrices");
    free(right);
}

/* Tests a product of 1 x 1 matrices whose entries are long enough for transforms: of a negative
 * number of all ones below, and a positive one. */
static void verify_long(struct known_answer *t) {
    const uint32_t words = (uint32_t)t->n;
    const struct matrix_operation op = {.rows = 1,
                                        .inner = 1,
                                        .columns = 1,
                                        .a_words = words,
                                        .b_words = words,
                                        .r_words = 2 * words,
                                        .bits = 64 * (uint64_t)words - 2,
                                        .a = t->x[0].mem,
                                        .b = t->x[1].mem,
                                        .r = t->r.mem};
    uint32_t *a = t->host[0], *b = t->host[1], *right = calloc(2 * t->n, sizeof *right);
    if (!right)
        t->status = GPU_NOMEM;
    a[words - 1] |= 1u << 31;
    b[words - 1] &= ~(1u << 31);
    for (int i = 0; i < 2; i++)
        known_answer_up(t, t->x[i].mem, 0, t->host[i], t->n);
    KNOWN_ANSWER(t, matrix_compute(t->s, &op));
    if (t->status == GPU_OK) {
        known_answer_mul(right, a, t->n, b, t->n);
        /* a is 2^(32 words) less than the number without sign */
        known_answer_addmul(right + t->n, t->n, b, t->n, ~0u);
        for (size_t i = 1; i < t->n; i++)
            known_answer_addmul(right + t->n + i, t->n - i, b, t->n - i, ~0u);
    }
    known_answer_compare(t, t->r.mem, 0, right, 2 * t->n, "product of matrices by transforms");
    free(right);
}

enum gpu_status selftest_matrix(struct context *s, const struct matrix_operation *op) {
    enum { LONG_WORDS = 400 };
    const unsigned program =
        matrix_uses_units(s) ? GPU_PROGRAM_matrix_units : GPU_PROGRAM_matrix_product;
    if (!matrix_is_long(op))
        return known_answer_ensure(s, KNOWN_BATCH + program, (size_t)ENTRIES * A_WORDS,
                                   verify_matrix, NULL);
    const struct ntt_plan plan = matrix_long_plan(op);
    enum gpu_status status = selftest_ntt(s, &plan);
    return status == GPU_OK ? known_answer_ensure(s, KNOWN_BATCH + GPU_PROGRAM_matrix_long,
                                                  LONG_WORDS, verify_long, NULL)
                            : status;
}
