/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that check operations on batches (verify:device). */
#include "kernels/check/residue.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"

_Static_assert(BATCH_LOW_SUM_WORDS <= BATCH_THREADS * BATCH_CHECK_SPAN, "one span a work-item");
_Static_assert(2 * BATCH_MOST_WORDS <= RESIDUE_SPANS * BATCH_CHECK_SPAN, "the table can do it");

/* How the work of a check is divided. `items` work-items process a number: each processes every
 * items-th span of consecutive words. A work-group processes `each` numbers. */
struct share {
    uint32_t items, each;
};

static struct share share_of(uint32_t words, uint32_t span) {
    uint32_t spans = ceil_div(words, span);
    uint32_t items = spans < BATCH_THREADS ? spans : BATCH_THREADS;
    return (struct share){items, BATCH_THREADS / items};
}

static struct launch_groups groups_of(uint64_t count, struct share share) {
    return launch_row(ceil_div(count, share.each));
}

static enum gpu_status check_product(struct context *s, const struct batch_operation *op) {
    const struct share share = share_of(op->words, BATCH_CHECK_SPAN);
    const struct launch_groups groups = groups_of(op->count, share);
    return (op->kind == BATCH_LOW ? launch_batch_check_low : launch_batch_check_product)(
        s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->r, op->term[0], op->term[1],
        op->count, op->words, share.items, share.each, s->slot[SLOT_TABLES].mem,
        tables_residue_at());
}

/* Merges equal terms of a sum, so that the check reads each number only once. Returns the count of
 * distinct terms. *weights gets their signed multiplicities, one byte each. */
static unsigned distinct_terms(const gpu_mem *all, unsigned count, unsigned negated,
                               gpu_mem term[BATCH_TERMS], uint64_t *weights) {
    int weight[BATCH_TERMS] = {0};
    unsigned terms = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned i = 0;
        while (i < terms && term[i].h != all[k].h)
            i++;
        if (i == terms)
            term[terms++] = all[k];
        weight[i] += negated >> k & 1 ? -1 : 1;
    }
    *weights = 0;
    for (unsigned i = 0; i < terms; i++)
        *weights |= (uint64_t)(uint8_t)weight[i] << 8 * i;
    return terms;
}

static enum gpu_status check_sum(struct context *s, const struct batch_operation *op) {
    const struct share share = share_of(op->words, BATCH_SPAN);
    gpu_mem term[BATCH_TERMS];
    uint64_t weights;
    unsigned terms = distinct_terms(op->term, op->terms, op->negated, term, &weights);
    for (unsigned k = terms; k < BATCH_TERMS; k++)
        term[k] = term[0];
    const struct launch_groups groups = groups_of(op->count, share);
    return launch_batch_check_sum(s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->r,
                                  op->carries.h ? op->carries : op->r,
                                  op->carries.h ? op->borrows != 0 : BATCH_CARRIES_LOST, op->count,
                                  op->words, share.items, share.each, terms, weights, term[0],
                                  term[1], term[2], term[3], term[4], term[5], term[6], term[7]);
}

enum gpu_status batch_check_low_sum(struct context *s, const struct batch_low_sum *sum) {
    const struct share share = share_of(sum->words, BATCH_CHECK_SPAN);
    const unsigned last = sum->products - 1;
    gpu_mem term[BATCH_TERMS];
    uint64_t weights;
    unsigned terms = distinct_terms(sum->term, sum->terms, sum->negated, term, &weights);
    for (unsigned k = terms; k < BATCH_TERMS; k++)
        term[k] = sum->r;
    const struct launch_groups groups = groups_of(sum->count, share);
    return launch_batch_check_low_sum(
        s, groups, verdict_mem(s), verdict_pass(s, groups.x), sum->r, sum->count, sum->words,
        share.items, share.each, sum->products, sum->negatives, sum->u[0], sum->v[0], sum->u[last],
        sum->v[last], terms, weights, term[0], term[1], term[2], term[3], term[4], term[5], term[6],
        term[7], s->slot[SLOT_TABLES].mem, tables_residue_at());
}

/* Queues the check of a BATCH_RESIZE: compares its result with the operand word by word. */
static enum gpu_status check_resize(struct context *s, const struct batch_operation *op) {
    uint64_t groups = ceil_div(op->count * op->result_words, BATCH_SPAN * BATCH_THREADS);
    return launch_batch_check_resize(s, launch_row(groups), verdict_mem(s), verdict_pass(s, groups),
                                     op->r, op->term[0], op->count, op->words, op->result_words);
}

enum gpu_status batch_check_prepare(struct context *s, struct batch_operation *op) {
    gpu_mem unused;
    if (op->kind == BATCH_PRODUCT || op->kind == BATCH_LOW)
        return tables_get(s, &unused);
    return op->kind == BATCH_SUM && !op->carries.h
               ? context_buffer(s, SLOT_FLAGS, op->count * sizeof(uint64_t), &op->carries)
               : GPU_OK;
}

enum gpu_status batch_check_add(struct context *s, const struct batch_operation *op) {
    return op->kind == BATCH_SUM      ? check_sum(s, op)
           : op->kind == BATCH_RESIZE ? check_resize(s, op)
                                      : check_product(s, op);
}
