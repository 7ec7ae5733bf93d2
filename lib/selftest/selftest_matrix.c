/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The known-answer test of the kernels for products of matrices (kernels/matrix/). Many entries
 * have long runs of ones or zeros. */
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

/* Adds the product of the entries a and b to {r, R_WORDS}. */
static void add_product(uint32_t *r, const uint32_t *a, const uint32_t *b) {
    uint32_t x[R_WORDS], y[R_WORDS];
    extend(x, a, A_WORDS);
    extend(y, b, B_WORDS);
    for (size_t i = 0; i < R_WORDS; i++)
        known_answer_addmul(r + i, R_WORDS - i, y, R_WORDS - i, x[i]);
}

/* Computes the product of the matrices a and b on the host. */
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

/* Subtracts {x, n} from {r, n}, modulo 2^(32 n). */
static void subtract(uint32_t *r, const uint32_t *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        known_answer_addmul(r + i, n - i, x, n - i, ~0u);
}

/* Sets {r, 2 n} to the product of two numbers of n words in two's complement. */
static void multiply_long(uint32_t *r, const uint32_t *a, const uint32_t *b, size_t n) {
    known_answer_mul(r, a, n, b, n);
    if (a[n - 1] >> 31)
        subtract(r + n, b, n);
    if (b[n - 1] >> 31)
        subtract(r + n, a, n);
}

/* Tests a product of a 2 x 1 and a 1 x 2 matrix by transforms of the length t->plan. The entries of
 * each matrix have different signs. */
static void verify_long(struct known_answer *t) {
    const size_t words = t->n / 4;
    const struct matrix_operation op = {.rows = 2,
                                        .inner = 1,
                                        .columns = 2,
                                        .a_words = (uint32_t)words,
                                        .b_words = (uint32_t)words,
                                        .r_words = (uint32_t)(2 * words),
                                        .bits = 64 * words - 2,
                                        .a = t->x[0].mem,
                                        .b = t->x[1].mem,
                                        .r = t->r.mem};
    uint32_t *right = malloc(2 * t->n * sizeof *right);
    if (!right)
        t->status = GPU_NOMEM;
    for (int i = 0; i < 2; i++) {
        t->host[i][words - 1] |= 1u << 31;
        t->host[i][2 * words - 1] &= ~(1u << 31);
        known_answer_up(t, t->x[i].mem, 0, t->host[i], t->n);
    }
    KNOWN_ANSWER(t, matrix_long_compute_by(t->s, &op, t->plan));
    for (size_t e = 0; e < 4 && t->status == GPU_OK; e++)
        multiply_long(right + 2 * e * words, t->host[0] + e / 2 * words, t->host[1] + e % 2 * words,
                      words);
    known_answer_compare(t, t->r.mem, 0, right, 2 * t->n, "product of matrices by transforms");
    free(right);
}

/* Tests the programs that only products of matrices use, in the shortest transform that has the
 * same last pass as ring *r. */
static enum gpu_status ensure_long(struct context *s, const struct ntt_ring *r) {
    enum { WORDS = 4 * 200, FEWEST_ABOVE = 5 };
    const unsigned last = r->log_r[r->passes - 1];
    struct ntt_length l = {.rings = 1};
    ntt_ring_init(&l.ring[0], FEWEST_ABOVE + last, 0);
    const unsigned key = last == 8 ? GPU_PROGRAM_contiguous_sum_8 : GPU_PROGRAM_contiguous_sum_12;
    return known_answer_ensure(s, KNOWN_BATCH + key, WORDS, verify_long, &l);
}

static enum gpu_status ensure_residues(struct context *s) {
    const enum gpu_program program = matrix_program(s);
    enum gpu_status status = known_answer_ensure(s, KNOWN_BATCH + program,
                                                 (size_t)ENTRIES * A_WORDS, verify_matrix, NULL);
    if (program == GPU_PROGRAM_matrix_groups &&
        known_answer_without(s, status, &s->dev.caps.matrix_groups, "matrix units of groups"))
        return ensure_residues(s);
    return status;
}

enum gpu_status selftest_matrix(struct context *s, const struct matrix_operation *op) {
    if (!matrix_is_long(op))
        return ensure_residues(s);
    const struct ntt_plan plan = matrix_long_plan(op);
    enum gpu_status status = selftest_ntt(s, &plan);
    for (unsigned i = 0; i < plan.length.rings && status == GPU_OK; i++)
        status = ensure_long(s, &plan.length.ring[i]);
    return status;
}
