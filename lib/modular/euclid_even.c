/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the inverses of odd u modulo even v, from the inverses s of v modulo u. Since v s = t u
 * + 1 with an integer t, v - t is the inverse of u modulo v. */
#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/modular/euclid_divide.h"
#include "lib/multiply/batch.h"

/* Returns the buffer of the inverses s of v modulo u. SLOT_FFT has a copy of v for each number if
 * all share one v, SLOT_U the products v s, and SLOT_V the quotients t of these products by u. */
static gpu_mem of_s(struct context *s) {
    return s->slot[SLOT_WINDOW].mem;
}

static struct euclid_operation division(struct context *s, const struct euclid_operation *op) {
    return (struct euclid_operation){.kind = EUCLID_DIVIDE,
                                     .words = op->words,
                                     .u_words = 2 * op->words,
                                     .q = s->slot[SLOT_V].mem,
                                     .u = s->slot[SLOT_U].mem,
                                     .v = op->u};
}

static struct batch_operation product(struct context *s, const struct euclid_piece *p) {
    return (struct batch_operation){.kind = BATCH_PRODUCT,
                                    .count = p->count,
                                    .words = p->op->words,
                                    .r = s->slot[SLOT_U].mem,
                                    .term = {s->slot[SLOT_FFT].mem, of_s(s)}};
}

enum gpu_status euclid_even_prepare(struct context *s, struct euclid_piece *p) {
    const uint64_t bytes = p->count * p->op->words * sizeof(uint32_t);
    gpu_mem unused;
    enum gpu_status status = context_buffer(s, SLOT_WINDOW, bytes, &p->inverse);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_FFT, bytes, &unused);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_U, 2 * bytes, &unused);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_V, 2 * bytes, &unused);
    struct batch_operation multiply = product(s, p);
    return status == GPU_OK ? batch_prepare(s, &multiply) : status;
}

/* Queues the products v s, where s is the inverse of v modulo u. If all numbers share one v, first
 * copies v once for each number. */
static enum gpu_status multiply(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    struct batch_product v_s = {.r = s->slot[SLOT_U].mem,
                                .u = op->v,
                                .v = of_s(s),
                                .count = p->count,
                                .words = op->words,
                                .result_words = 2 * op->words,
                                .u_at = p->first * op->words};
    enum gpu_status status = GPU_OK;
    if (op->v_is_one) {
        v_s.u = s->slot[SLOT_FFT].mem;
        v_s.u_at = 0;
        status = launch_batch_spread(s, launch_row(ceil_div(p->count * op->words, BATCH_THREADS)),
                                     v_s.u, op->v, p->count, op->words);
    }
    return status == GPU_OK ? batch_multiply(s, &v_s) : status;
}

/* Queues the divisions of the products v s by u, for the numbers of one piece; s is the inverse of
 * v modulo u. The memory of the products begins with the piece's first number. The memory of u has
 * all numbers of the operation: d_at is the word of u at which the piece begins. */
static enum gpu_status divide(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation op = division(s, p->op);
    const struct euclid_part all = {.op = &op, .d_at = p->first * op.words, .count = p->count};
    return euclid_divide(s, &all);
}

enum gpu_status euclid_even(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    enum gpu_status status = multiply(s, p);
    if (status == GPU_OK)
        status = divide(s, p);
    if (status != GPU_OK)
        return status;
    return launch_batch_inverse_even(s, launch_row(ceil_div(p->count, BATCH_THREADS)), op->r,
                                     op->flags, of_s(s), s->slot[SLOT_V].mem, 2 * op->words, op->u,
                                     op->v, euclid_v_step(op), p->first, p->count, op->words);
}

enum gpu_status euclid_even_check(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    uint32_t spans = (uint32_t)ceil_div(op->words, BATCH_CHECK_SPAN);
    uint32_t items = spans < BATCH_THREADS ? spans : BATCH_THREADS, each = BATCH_THREADS / items;
    const struct launch_groups groups = launch_row(ceil_div(p->count, each));
    return launch_batch_check_even(s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->r,
                                   op->flags, of_s(s), op->u, op->v, euclid_v_step(op), p->first,
                                   p->count, op->words, items, each, s->slot[SLOT_TABLES].mem,
                                   tables_residue_at());
}
