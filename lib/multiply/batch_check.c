/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches (verify:device): launches of kernels that count what is wrong. */
#include "kernels/check/residue.h"
#include "lib/multiply/batch.h"
#include "lib/base/log.h"
#include "lib/device/number.h"
#include "lib/device/tables.h"
#include "lib/transfer/transfer.h"

_Static_assert(2 * BATCH_MOST_WORDS <= RESIDUE_SPANS * BATCH_CHECK_SPAN, "the table can do it");

/* Work-items to a number, each with a span of it and so many spans further on the next; and numbers
 * to a group. */
struct share {
    uint32_t items, each;
};

static struct share share_of(uint32_t words, uint32_t span) {
    uint32_t spans = (words + span - 1) / span;
    uint32_t items = spans < BATCH_THREADS ? spans : BATCH_THREADS;
    return (struct share){items, BATCH_THREADS / items};
}

static int launch(struct context *s, const char *kernel, uint64_t count, struct share share,
                  const struct gpu_arg *args, unsigned nargs) {
    return number_launch(s, GPU_PROGRAM_batch_check, kernel, (count + share.each - 1) / share.each,
                         1, BATCH_THREADS, args, nargs);
}

static int check_product(struct context *s, const struct batch_operation *op) {
    const struct share share = share_of(op->words, BATCH_CHECK_SPAN);
    struct gpu_arg args[] = {gpu_arg_mem(s->slot[SLOT_RESIDUES].mem),
                             gpu_arg_mem(op->r),
                             gpu_arg_mem(op->term[0]),
                             gpu_arg_mem(op->term[1]),
                             gpu_arg_u64(op->count),
                             gpu_arg_u32(op->words),
                             gpu_arg_u32(share.items),
                             gpu_arg_u32(share.each),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u64(tables_residue_at())};
    return launch(s, op->kind == BATCH_LOW ? "batch_check_low" : "batch_check_product", op->count,
                  share, args, sizeof args / sizeof *args);
}

/* Each of the terms once: how many there are, and how often they count, byte by byte. */
static unsigned distinct_terms(const struct batch_operation *op, gpu_mem term[BATCH_TERMS],
                               uint64_t *weights) {
    int weight[BATCH_TERMS] = {0};
    unsigned terms = 0;
    for (unsigned k = 0; k < op->terms; k++) {
        unsigned i = 0;
        while (i < terms && term[i].h != op->term[k].h)
            i++;
        if (i == terms)
            term[terms++] = op->term[k];
        weight[i] += op->negated >> k & 1 ? -1 : 1;
    }
    *weights = 0;
    for (unsigned i = 0; i < terms; i++)
        *weights |= (uint64_t)(uint8_t)weight[i] << 8 * i;
    return terms;
}

static int check_sum(struct context *s, const struct batch_operation *op) {
    const struct share share = share_of(op->words, BATCH_SPAN);
    gpu_mem term[BATCH_TERMS];
    uint64_t weights;
    unsigned terms = distinct_terms(op, term, &weights);
    struct gpu_arg args[10 + BATCH_TERMS] = {gpu_arg_mem(s->slot[SLOT_RESIDUES].mem),
                                             gpu_arg_mem(op->r),
                                             gpu_arg_mem(op->carries),
                                             gpu_arg_u32(op->borrows != 0),
                                             gpu_arg_u64(op->count),
                                             gpu_arg_u32(op->words),
                                             gpu_arg_u32(share.items),
                                             gpu_arg_u32(share.each),
                                             gpu_arg_u32(terms),
                                             gpu_arg_u64(weights)};
    for (unsigned k = 0; k < BATCH_TERMS; k++)
        args[10 + k] = gpu_arg_mem(term[k < terms ? k : 0]);
    return launch(s, "batch_check_sum", op->count, share, args, sizeof args / sizeof *args);
}

int batch_check_prepare(struct context *s, struct batch_operation *op) {
    gpu_mem unused;
    int status = context_buffer(s, SLOT_RESIDUES, sizeof(uint64_t), &unused);
    if (status == GPU_OK && op->kind != BATCH_SUM)
        return tables_get(s, &unused);
    if (status == GPU_OK && !op->carries.h)
        status = context_buffer(s, SLOT_FLAGS, op->count * sizeof(uint64_t), &op->carries);
    return status;
}

int batch_check_begin(struct context *s, const struct batch_operation *op) {
    int status = gpu_zero(&s->queue, s->slot[SLOT_RESIDUES].mem, 0, sizeof(uint32_t));
    if (status != GPU_OK)
        return status;
    return op->kind == BATCH_SUM ? check_sum(s, op) : check_product(s, op);
}

int batch_check_end(struct context *s) {
    uint32_t wrong;
    int status =
        transfer_down(s->transfer, &s->queue, &wrong, s->slot[SLOT_RESIDUES].mem, 0, sizeof wrong);
    if (status != GPU_OK || wrong == 0)
        return status;
    mpgpu_log(LOG_WARNING, "%s: a batch with errors, found in %u places by its check",
              s->dev.caps.name, wrong);
    return GPU_FAILED;
}
