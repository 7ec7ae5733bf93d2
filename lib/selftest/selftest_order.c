/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of comparison and selection in batches, at their first use: numbers that differ in
 * one word each, the first in none. */
#include "lib/selftest/selftest_order.h"

#include <stdlib.h>
#include <string.h>

#include "lib/selftest/known_answer.h"
#include "lib/transfer/transfer.h"

/* Of 70 words: spans that are not full, several numbers to a group. */
enum { NUMBERS = 36, WORDS = 70 };

static const size_t bytes = NUMBERS * WORDS * sizeof(uint32_t);

/* Word 2 (i - 1) of number i is greater in u where i is odd, else in v. */
static void spread(uint32_t *u, uint32_t *v) {
    memcpy(v, u, bytes);
    for (unsigned i = 1; i < NUMBERS; i++) {
        uint32_t *at = (i % 2 ? u : v) + i * WORDS + 2 * (i - 1);
        uint32_t *other = (i % 2 ? v : u) + i * WORDS + 2 * (i - 1);
        *at |= 1;
        *other &= ~(uint32_t)1;
    }
}

static uint64_t order_of(unsigned i) {
    return i == 0 ? 0 : i % 2 ? 1 : UINT64_MAX;
}

static enum gpu_status upload(struct context *s, gpu_mem to, const void *from, size_t size) {
    return transfer_up(s->transfer, &s->queue, to, 0, from, size);
}

static enum gpu_status download(struct context *s, void *to, gpu_mem from, size_t size) {
    return transfer_down(s->transfer, &s->queue, to, from, 0, size);
}

static enum gpu_status verify_compare(struct known_answer *t, const struct batch_order *op) {
    uint64_t orders[NUMBERS];
    enum gpu_status status = batch_order_compute(t->s, op);
    if (status == GPU_OK)
        status = download(t->s, orders, op->r, sizeof orders);
    for (unsigned i = 0; i < NUMBERS && status == GPU_OK; i++)
        if (orders[i] != order_of(i))
            status = known_answer_wrong(t->s, "comparison in a batch", WORDS);
    return status;
}

/* u in every second number, else v. */
static enum gpu_status verify_select(struct known_answer *t, const struct batch_order *op) {
    uint32_t *u = t->host, *v = u + t->n, *r = v + t->n;
    uint64_t choices[NUMBERS];
    for (unsigned i = 0; i < NUMBERS; i++)
        choices[i] = i % 2 ? UINT64_C(1) << i : 0;
    enum gpu_status status = upload(t->s, op->c, choices, sizeof choices);
    if (status == GPU_OK)
        status = batch_order_compute(t->s, op);
    if (status == GPU_OK)
        status = download(t->s, r, op->r, bytes);
    for (unsigned i = 0; i < NUMBERS && status == GPU_OK; i++)
        if (memcmp(r + i * WORDS, (i % 2 ? u : v) + i * WORDS, WORDS * sizeof *r) != 0)
            status = known_answer_wrong(t->s, "selection in a batch", WORDS);
    return status;
}

static enum gpu_status verify(struct known_answer *t) {
    struct batch_order op = {
        .kind = BATCH_COMPARE, .count = NUMBERS, .words = WORDS, .u = t->u.mem, .v = t->v.mem};
    enum gpu_status status = context_buffer(t->s, SLOT_FLAGS, NUMBERS * sizeof(uint64_t), &op.r);
    spread(t->host, t->host + t->n);
    if (status == GPU_OK)
        status = upload(t->s, op.u, t->host, bytes);
    if (status == GPU_OK)
        status = upload(t->s, op.v, t->host + t->n, bytes);
    if (status == GPU_OK)
        status = verify_compare(t, &op);
    op.kind = BATCH_SELECT;
    op.c = op.r;
    op.r = t->r.mem;
    return status == GPU_OK ? verify_select(t, &op) : status;
}

enum gpu_status selftest_order(struct context *s) {
    const uint64_t bit = UINT64_C(1) << GPU_PROGRAM_batch_order;
    struct known_answer t;
    if (s->verified_batch & bit)
        return GPU_OK;
    t.host = NULL;
    enum gpu_status status = known_answer_begin(&t, s, (size_t)NUMBERS * WORDS);
    if (status == GPU_OK)
        status = verify(&t);
    free(t.host);
    if (status == GPU_OK)
        s->verified_batch |= bit;
    return status;
}
