/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of the kernels for batches, before their first use. Whole products are
 * compared by residues, and low products with the whole products. Comparisons and selections use
 * pairs of numbers that differ in one word; the first pair is equal. */
#include <string.h>

#include "lib/multiply/batch_order.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { NUMBERS = 3, SUM_WORDS = 70 };

static uint64_t residue_at(const uint32_t *x, uint64_t i, size_t words) {
    return residue_of(x + i * words, words, RESIDUE_MODULUS);
}

/* ---- products */

static void verify_full(struct known_answer *t, struct batch_product p) {
    KNOWN_ANSWER(t, batch_multiply(t->s, &p));
    known_answer_down(t, t->got, p.r, 0, 2 * t->n);
    for (uint64_t i = 0; i < NUMBERS; i++) {
        uint64_t u = residue_at(t->host[0], i, p.words);
        uint64_t v = residue_at(t->host[p.v.h != p.u.h], i, p.words);
        known_answer_expect(t, residue_at(t->got, i, 2 * p.words) == residue_mul(u, v),
                            "product in a batch", p.words);
    }
}

/* Computes low products and compares them with the whole products in t->got. Overwrites the first
 * operand's numbers in host memory. */
static void verify_low(struct known_answer *t, struct batch_product p) {
    uint32_t *low = t->host[0];
    KNOWN_ANSWER(t, batch_multiply(t->s, &p));
    known_answer_down(t, low, p.r, 0, t->n);
    for (uint64_t i = 0; i < NUMBERS; i++)
        known_answer_expect(
            t, memcmp(low + i * p.words, t->got + i * 2 * p.words, p.words * sizeof *low) == 0,
            "low product in a batch", p.words);
}

/* Tests batches of squares, of products, and of low products. */
static void verify_products(struct known_answer *t) {
    const uint32_t words = (uint32_t)(t->n / NUMBERS);
    struct batch_product p = {.r = t->r.mem,
                              .u = t->x[0].mem,
                              .v = t->x[0].mem,
                              .count = NUMBERS,
                              .words = words,
                              .result_words = 2 * words};
    known_answer_buffer(t, SLOT_WORK, (uint64_t)NUMBERS * 5 * 2 * words);
    verify_full(t, p);
    p.v = t->x[1].mem;
    verify_full(t, p);
    p.result_words = words;
    verify_low(t, p);
}

static enum gpu_status ensure_product(struct context *s, uint32_t words, uint32_t result_words) {
    enum gpu_program program = batch_program(&s->dev.caps, words, result_words);
    uint32_t least = batch_program_words(&s->dev.caps, program);
    enum gpu_status status = known_answer_ensure(s, KNOWN_BATCH + program, (size_t)NUMBERS * least,
                                                 verify_products, NULL);
    if (batch_is_wide(program) &&
        known_answer_without(s, status, &s->dev.caps.matrix_groups, "matrix units of groups"))
        return ensure_product(s, words, result_words);
    return status;
}

/* ---- sums and differences u + v, u - v, with their carries and borrows */

static void verify_sums(struct known_answer *t) {
    const uint64_t power = residue_of_power(SUM_WORDS);
    struct batch_operation op = {.kind = BATCH_SUM,
                                 .count = NUMBERS,
                                 .words = SUM_WORDS,
                                 .terms = 2,
                                 .r = t->r.mem,
                                 .term = {t->x[0].mem, t->x[1].mem}};
    op.carries = known_answer_buffer(t, SLOT_FLAGS, 2 * NUMBERS);
    for (int subtract = 0; subtract < 2; subtract++) {
        uint64_t carries[NUMBERS] = {0};
        op.borrows = subtract;
        op.negated = subtract ? 2 : 0;
        KNOWN_ANSWER(t, batch_compute(t->s, &op));
        known_answer_down(t, t->got, op.r, 0, t->n);
        known_answer_down(t, carries, op.carries, 0, 2 * NUMBERS);
        for (uint64_t i = 0; i < NUMBERS; i++) {
            uint64_t u = residue_at(t->host[0], i, SUM_WORDS);
            uint64_t v = residue_at(t->host[1], i, SUM_WORDS);
            uint64_t sum = residue_at(t->got, i, SUM_WORDS), over = carries[i] ? power : 0;
            bool right = subtract ? residue_add(sum, v) == residue_add(u, over)
                                  : residue_add(sum, over) == residue_add(u, v);
            known_answer_expect(t, right && carries[i] <= 1, "sum in a batch", SUM_WORDS);
        }
    }
}

enum gpu_status selftest_batch(struct context *s, const struct batch_operation *op) {
    /* one program computes both sums and changes of length */
    return op->kind == BATCH_SUM || op->kind == BATCH_RESIZE
               ? known_answer_ensure(s, KNOWN_BATCH + GPU_PROGRAM_batch_sum,
                                     (size_t)NUMBERS * SUM_WORDS, verify_sums, NULL)
               : ensure_product(s, op->words,
                                op->kind == BATCH_PRODUCT ? 2 * op->words : op->words);
}

/* ---- comparisons, selections */

/* ORDERED: count of numbers to compare; ORDER_WORDS: their length. With 70 words, the last SPAN
 * words of a number (kernels/batch/batch_order.cl) are incomplete, and a work-group compares
 * several numbers. */
enum { ORDERED = 36, ORDER_WORDS = 70 };

/* Creates pairs of numbers; the numbers of pair 0 are equal. Pair i differs only in word 2 (i - 1),
 * which is greater in u if i is odd, otherwise in v. */
static void spread(uint32_t *u, uint32_t *v) {
    memcpy(v, u, ORDERED * ORDER_WORDS * sizeof *u);
    for (unsigned i = 1; i < ORDERED; i++) {
        const size_t at = i * ORDER_WORDS + 2 * (i - 1);
        (i % 2 ? u : v)[at] |= 1;
        (i % 2 ? v : u)[at] &= ~(uint32_t)1;
    }
}

/* Tests the comparison of u and v. Then tests a selection that takes odd-numbered results from u
 * and even-numbered ones from v. */
static void verify_order(struct known_answer *t) {
    struct batch_order op = {.kind = BATCH_COMPARE,
                             .count = ORDERED,
                             .words = ORDER_WORDS,
                             .u = t->x[0].mem,
                             .v = t->x[1].mem};
    uint64_t orders[ORDERED], choices[ORDERED];
    uint32_t selected[ORDERED * ORDER_WORDS];
    spread(t->host[0], t->host[1]);
    for (unsigned i = 0; i < ORDERED; i++) {
        orders[i] = i == 0 ? 0 : i % 2 ? 1 : UINT64_MAX;
        choices[i] = i % 2 ? UINT64_C(1) << i : 0;
        memcpy(selected + i * ORDER_WORDS, t->host[i % 2 == 0] + i * ORDER_WORDS,
               ORDER_WORDS * sizeof *selected);
    }
    for (int i = 0; i < 2; i++)
        known_answer_up(t, t->x[i].mem, 0, t->host[i], t->n);
    op.r = op.c = known_answer_buffer(t, SLOT_FLAGS, 2 * ORDERED);
    KNOWN_ANSWER(t, batch_order_compute(t->s, &op));
    known_answer_compare(t, op.r, 0, (const uint32_t *)orders, 2 * ORDERED,
                         "comparison in a batch");
    op.kind = BATCH_SELECT;
    op.r = t->r.mem;
    known_answer_up(t, op.c, 0, choices, 2 * ORDERED);
    KNOWN_ANSWER(t, batch_order_compute(t->s, &op));
    known_answer_compare(t, op.r, 0, selected, t->n, "selection in a batch");
}

enum gpu_status selftest_order(struct context *s) {
    return known_answer_ensure(s, KNOWN_BATCH + GPU_PROGRAM_batch_order,
                               (size_t)ORDERED * ORDER_WORDS, verify_order, NULL);
}
