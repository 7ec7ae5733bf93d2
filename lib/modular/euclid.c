/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for gcds, inverses and quotients of batches, and their checks. */
#include "lib/modular/euclid.h"

#include "kernels/batch/batch.h"
#include "kernels/modular/euclid.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/base/random.h"
#include "lib/device/kept.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/modular/euclid_divide.h"
#include "lib/transfer/transfer.h"

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

/* ---- launches */

static enum gpu_status gcd(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    struct euclid_plan plan = euclid_plan(op);
    return launch_batch_gcd(s, plan.digits, euclid_groups(s, plan, p->count), op->r, p->record,
                            op->u, op->v, p->first, p->count, op->words, plan.team,
                            euclid_most_jumps(op), is_checked(), s->slot[SLOT_TABLES].mem,
                            tables_residue_at());
}

static enum gpu_status inverse(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    struct euclid_plan plan = euclid_plan(op);
    return launch_batch_inverse(s, plan.digits, euclid_groups(s, plan, p->count), p->inverse,
                                op->flags, p->extra, p->record, op->u, op->v, euclid_v_step(op),
                                p->inverse_first, p->first, p->count, op->words, plan.team,
                                euclid_most_jumps(op), is_checked(), s->slot[SLOT_TABLES].mem,
                                tables_residue_at());
}

static enum gpu_status divide(struct context *s, const struct euclid_piece *p) {
    const struct euclid_part all = {.op = p->op, .first = p->first, .count = p->count};
    return euclid_divide(s, &all);
}

static enum gpu_status compute(struct context *s, const struct euclid_piece *p) {
    switch (p->op->kind) {
    case EUCLID_GCD:
        return gcd(s, p);
    case EUCLID_INVERSE:
        return inverse(s, p);
    default:
        return divide(s, p);
    }
}

/* ---- memory */

/* Returns the bytes of device memory for each number, not counting operands and results. Sets
 * *extra to the bytes among them for the buffer `extra` of struct euclid_piece. */
static uint64_t bytes_each(const struct euclid_operation *op, uint64_t *extra) {
    *extra = op->kind == EUCLID_INVERSE ? op->words * sizeof(uint32_t) : 0;
    return *extra + EUCLID_RECORD * sizeof(uint64_t);
}

/* Allocates memory for a result that only the check reads, because the caller does not want it.
 * Does nothing if the caller has set *mem. */
static enum gpu_status result(struct context *s, enum context_slot slot, uint64_t words,
                              gpu_mem *mem) {
    return mem->h ? GPU_OK : context_buffer(s, slot, words * sizeof(uint32_t), mem);
}

static enum gpu_status prepare_results(struct context *s, struct euclid_operation *op) {
    if (op->kind != EUCLID_DIVIDE || !is_checked())
        return GPU_OK;
    enum gpu_status status = result(s, SLOT_ADDEND, op->count * op->u_words, &op->q);
    return status == GPU_OK ? result(s, SLOT_R, op->count * op->words, &op->r) : status;
}

/* Sets p->count to the number of numbers that are computed in one piece, and allocates memory for
 * them. */
static enum gpu_status prepare(struct context *s, struct euclid_piece *p) {
    uint64_t extra, each = bytes_each(p->op, &extra);
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    p->count = euclid_at_once(p->op, p->op->has_even ? 9 * each : each);
    if (status == GPU_OK && is_checked())
        status = verdict_begin(s);
    if (status == GPU_OK && p->op->kind != EUCLID_DIVIDE)
        status =
            context_buffer(s, SLOT_KEPT, p->count * EUCLID_RECORD * sizeof(uint64_t), &p->record);
    if (status == GPU_OK && extra)
        status = context_buffer(s, SLOT_CALC, p->count * extra, &p->extra);
    return status == GPU_OK && p->op->has_even ? euclid_even_prepare(s, p) : status;
}

/* ---- operations */

static enum gpu_status keep_range(struct context *s, gpu_mem mem, const struct euclid_piece *p,
                                  uint64_t words) {
    return mem.h ? kept_result(s, mem, p->first * words, p->count * words) : GPU_OK;
}

/* Queues the computation of the results' residues, which the host keeps for later operations. Call
 * it before the check reads the results. */
static enum gpu_status keep(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    enum gpu_status status = keep_range(s, op->r, p, op->words);
    if (status == GPU_OK)
        status = keep_range(s, op->q, p, op->u_words);
    return status == GPU_OK ? keep_range(s, op->flags, p, 2) : status;
}

static enum gpu_status check(struct context *s, const struct euclid_piece *p) {
    enum gpu_status status = keep(s, p);
    if (status == GPU_OK)
        status = euclid_check(s, p);
    return status == GPU_OK && p->op->has_even ? euclid_even_check(s, p) : status;
}

/* Computes and checks one piece. The checks run after all steps, so that they also detect an
 * inverse that changed in memory before a step read it. */
static enum gpu_status perform_piece(struct context *s, const struct euclid_piece *p) {
    enum gpu_status status = compute(s, p);
    if (status == GPU_OK && p->op->has_even)
        status = euclid_even(s, p);
    return status == GPU_OK && is_checked() ? check(s, p) : status;
}

static enum gpu_status perform(struct context *s, struct euclid_piece all) {
    enum gpu_status status = GPU_OK;
    for (uint64_t i = 0; i < all.op->count && status == GPU_OK; i += all.count) {
        struct euclid_piece p = all;
        p.first = i;
        p.count = min_u64(all.count, all.op->count - i);
        p.inverse_first = all.op->has_even ? 0 : i;
        status = perform_piece(s, &p);
    }
    return status;
}

/* ---- counting zero and even divisors */

enum { LOOKS = 2, LOOK_WORDS = 2 * LOOKS };

/* Queues one of two independent counts of the same numbers; k is 0 or 1. Its kernel adds the
 * count of zeros to word 2 k of `found`, and the count of even numbers to word 2 k + 1. */
static enum gpu_status look_once(struct context *s, gpu_mem found, uint32_t k, gpu_mem v,
                                 uint64_t count, uint32_t words) {
    const struct launch_groups groups = launch_row(ceil_div(count, BATCH_THREADS));
    return launch_batch_look(s, groups, found, 2 * k, verdict_mem(s), verdict_pass(s, groups.x), v,
                             count, words);
}

/* Writes random words to `found`, to which the kernel adds its counts. So counts left over from an
 * earlier call cannot be mistaken for those of this call. */
static enum gpu_status begin_looks(struct context *s, gpu_mem found, uint32_t first[LOOK_WORDS]) {
    for (unsigned k = 0; k < LOOK_WORDS; k++)
        first[k] = (uint32_t)random_word();
    enum gpu_status status = verdict_begin(s);
    return status == GPU_OK
               ? transfer_up(s->transfer, &s->queue, found, 0, first, LOOK_WORDS * sizeof *first)
               : status;
}

/* Compares two independent counts. If they differ, the host counts. A wrong count would report a
 * division by zero, or pass a zero to the kernels. */
static enum gpu_status compare_looks(struct context *s, const uint32_t found[LOOK_WORDS],
                                     uint64_t count) {
    if (found[0] == found[2] && found[1] == found[3] && found[0] <= count && found[1] <= count)
        return GPU_OK;
    mpgpu_log(LOG_WARNING, "%s: two looks at the divisors of a batch differ", s->dev.caps.name);
    return GPU_FAILED;
}

enum gpu_status euclid_look(struct context *s, gpu_mem v, uint64_t count, uint32_t words,
                            struct euclid_found *found) {
    gpu_mem mem;
    uint32_t first[LOOK_WORDS], answers[LOOK_WORDS] = {0};
    enum gpu_status status = context_buffer(s, SLOT_RESIDUES, sizeof answers, &mem);
    if (status == GPU_OK)
        status = begin_looks(s, mem, first);
    for (uint32_t k = 0; k < (is_checked() ? LOOKS : 1) && status == GPU_OK; k++)
        status = look_once(s, mem, k, v, count, words);
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, answers, mem, 0, sizeof answers);
    for (unsigned k = 0; k < LOOK_WORDS; k++)
        answers[k] -= first[k];
    *found = (struct euclid_found){answers[0], answers[1]};
    if (status != GPU_OK || !is_checked())
        return status;
    status = verdict_end(s);
    return status == GPU_OK ? compare_looks(s, answers, count) : status;
}

enum gpu_status euclid_operate(struct context *s, const struct euclid_operation *asked) {
    struct euclid_operation op = *asked;
    struct euclid_piece p = {.op = &op, .inverse = op.r};
    if (euclid_has_team(&op) && s->dev.caps.is_cpu && !s->dev.caps.simd)
        /* PoCL runs the GPU kernels on CPUs, but its work-items cannot share a number
         * (kernels/modular/digits.h). */
        return GPU_NOMEM;
    enum gpu_status status = prepare_results(s, &op);
    if (status == GPU_OK)
        status = prepare(s, &p);
    if (status == GPU_OK)
        status = perform(s, p);
    if (status == GPU_OK && !is_checked())
        return gpu_finish(&s->queue);
    return status == GPU_OK ? verdict_end(s) : status;
}
