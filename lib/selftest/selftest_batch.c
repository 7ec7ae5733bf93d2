/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of the kernels of batches, at their first use: a few numbers with long runs of ones
 * and zeros, compared by residues, and low products with those in full. */
#include <stdlib.h>
#include <string.h>

#include "lib/device/residue.h"
#include "lib/device/tables.h"
#include "lib/multiply/batch.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { NUMBERS = 3, SUM_WORDS = 70 };

static uint64_t residue_at(const uint32_t *x, uint64_t i, size_t words) {
    return residue_of(x + i * words, words, RESIDUE_MODULUS);
}

static enum gpu_status download(struct known_answer *t, uint32_t *to, gpu_mem from, size_t words) {
    return transfer_down(t->s->transfer, &t->s->queue, to, from, 0, words * sizeof *to);
}

static enum gpu_status verify_full(struct known_answer *t, struct batch_product p) {
    uint32_t *r = t->host + 2 * t->n;
    enum gpu_status status = batch_multiply(t->s, &p);
    if (status == GPU_OK)
        status = download(t, r, p.r, 2 * t->n);
    for (uint64_t i = 0; i < NUMBERS && status == GPU_OK; i++) {
        uint64_t u = residue_at(t->host, i, p.words);
        uint64_t v = p.v.h == p.u.h ? u : residue_at(t->host + t->n, i, p.words);
        if (residue_at(r, i, 2 * p.words) != residue_mul(u, v))
            status = known_answer_wrong(t->s, "product in a batch", p.words);
    }
    return status;
}

/* Beside those in full, which are on the host; over the operands there. */
static enum gpu_status verify_low(struct known_answer *t, struct batch_product p) {
    uint32_t *full = t->host + 2 * t->n;
    enum gpu_status status = batch_multiply(t->s, &p);
    if (status == GPU_OK)
        status = download(t, t->host, p.r, t->n);
    for (uint64_t i = 0; i < NUMBERS && status == GPU_OK; i++)
        if (memcmp(t->host + i * p.words, full + i * 2 * p.words, p.words * sizeof *full) != 0)
            status = known_answer_wrong(t->s, "low product in a batch", p.words);
    return status;
}

/* Product, square and low product of numbers of so many words. */
static enum gpu_status verify_product(struct context *s, uint32_t words) {
    struct known_answer t;
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    t.host = NULL;
    if (status == GPU_OK)
        status = known_answer_begin(&t, s, (size_t)NUMBERS * words);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_WORK, NUMBERS * 5 * 2 * words * sizeof(uint32_t), &unused);
    if (status == GPU_OK) {
        struct batch_product p = {.r = t.r.mem,
                                  .u = t.u.mem,
                                  .v = t.u.mem,
                                  .count = NUMBERS,
                                  .words = words,
                                  .result_words = 2 * words};
        status = verify_full(&t, p);
        p.v = t.v.mem;
        if (status == GPU_OK)
            status = verify_full(&t, p);
        p.result_words = words;
        if (status == GPU_OK)
            status = verify_low(&t, p);
    }
    free(t.host);
    return status;
}

static uint64_t bit_of(enum gpu_program program) {
    return UINT64_C(1) << program;
}

static enum gpu_status ensure_product(struct context *s, uint32_t words, uint32_t result_words) {
    enum gpu_program program = batch_program(&s->dev.caps, words, result_words);
    uint32_t least = batch_program_words(&s->dev.caps, program);
    if (s->verified_batch & bit_of(program))
        return GPU_OK;
    enum gpu_status status = verify_product(s, least);
    if (batch_is_wide(program) &&
        known_answer_without(s, status, &s->dev.caps.matrix_groups, "matrix units of groups"))
        return ensure_product(s, words, result_words);
    if (status == GPU_OK)
        s->verified_batch |= bit_of(program);
    return status;
}

/* u + v or u - v with their carries, `count` of the operation's numbers. */
static enum gpu_status verify_one_sum(struct known_answer *t, struct batch_operation op) {
    uint32_t *r = t->host + 2 * t->n;
    const uint64_t power = residue_of_power(SUM_WORDS);
    uint64_t carries[NUMBERS];
    enum gpu_status status = batch_compute(t->s, &op);
    if (status == GPU_OK)
        status = download(t, r, op.r, t->n);
    if (status == GPU_OK)
        status = download(t, (uint32_t *)carries, op.carries, 2 * NUMBERS);
    for (uint64_t i = 0; i < NUMBERS && status == GPU_OK; i++) {
        uint64_t u = residue_at(t->host, i, op.words), v = residue_at(t->host + t->n, i, op.words);
        uint64_t sum = residue_at(r, i, op.words), over = carries[i] ? power : 0;
        int right = op.negated ? residue_add(sum, v) == residue_add(u, over)
                               : residue_add(sum, over) == residue_add(u, v);
        if (!right || carries[i] > 1)
            status = known_answer_wrong(t->s, "sum in a batch", op.words);
    }
    return status;
}

static enum gpu_status verify_sum(struct context *s) {
    struct known_answer t;
    struct batch_operation op = {
        .kind = BATCH_SUM, .count = NUMBERS, .words = SUM_WORDS, .terms = 2};
    enum gpu_status status = known_answer_begin(&t, s, (size_t)NUMBERS * SUM_WORDS);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_FLAGS, NUMBERS * sizeof(uint64_t), &op.carries);
    op.r = t.r.mem;
    op.term[0] = t.u.mem;
    op.term[1] = t.v.mem;
    for (int subtract = 0; subtract < 2 && status == GPU_OK; subtract++) {
        op.borrows = subtract;
        op.negated = subtract ? 2 : 0;
        status = verify_one_sum(&t, op);
    }
    free(t.host);
    return status;
}

static enum gpu_status ensure_sum(struct context *s) {
    if (s->verified_batch & bit_of(GPU_PROGRAM_batch_sum))
        return GPU_OK;
    enum gpu_status status = verify_sum(s);
    if (status == GPU_OK)
        s->verified_batch |= bit_of(GPU_PROGRAM_batch_sum);
    return status;
}

enum gpu_status selftest_batch(struct context *s, const struct batch_operation *op) {
    return op->kind == BATCH_SUM || op->kind == BATCH_RESIZE /* of one program */
               ? ensure_sum(s)
               : ensure_product(s, op->words,
                                op->kind == BATCH_PRODUCT ? 2 * op->words : op->words);
}
