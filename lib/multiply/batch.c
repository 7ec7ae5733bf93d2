/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for batches: products, sums and changes of length. */
#include "lib/multiply/batch.h"

#include "kernels/common/primes.h"
#include "kernels/small/small.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"

#define MATRIX_MOST_EACH 32 /* the most numbers that one warp (32 work-items) multiplies */
_Static_assert(BATCH_MAX_LOG <= SMALL_MAX_LOG, "coefficients fit the primes");

/* Bytes of coefficients, rounded up to whole products, that transforms compute before the
 * coefficients are summed. With 100 MiB an H200 took 4 % longer, with 32 MiB 12 % longer. */
static const uint64_t coefficient_bytes = 256 << 20;

/* Returns how many products of the batch the transforms compute before their coefficients are
 * summed. */
static uint64_t at_once(uint32_t words, uint64_t count) {
    uint64_t bytes = ((uint64_t)PRIMES << batch_log(words)) * sizeof(uint32_t);
    return min_u64(count, ceil_div(coefficient_bytes, bytes));
}

/* ---- products */

static uint32_t step_of_u(const struct batch_product *p) {
    return p->u_step ? p->u_step : p->words;
}

static uint32_t step_of_v(const struct batch_product *p) {
    return p->v_is_one ? 0 : p->v_step ? p->v_step : p->words;
}

static enum gpu_status multiply_blocks(struct context *s, const struct batch_product *p) {
    uint32_t blocks = (uint32_t)ceil_div(p->words, BATCH_BLOCK);
    uint32_t result_blocks = (uint32_t)ceil_div(p->result_words, BATCH_BLOCK);
    uint32_t items = result_blocks > blocks ? blocks : (blocks + 1) / 2;
    uint32_t each = BATCH_MUL_THREADS / items;
    return launch_batch_mul(s, launch_row(ceil_div(p->count, each)), p->r, p->r_at, p->u, p->u_at,
                            step_of_u(p), p->v, p->v_at, step_of_v(p), p->count, p->words, blocks,
                            p->result_words, result_blocks, items, each);
}

/* Multiplies short numbers by matrix units. Each warp (32 work-items) gets several numbers if there
 * are more numbers than warps that the device can run at the same time. */
static enum gpu_status multiply_short(struct context *s, const struct batch_product *p,
                                      unsigned most) {
    enum { ROWS = BATCH_MATRIX_THREADS / 32, ROWS_AT_ONCE = 64 };
    uint64_t at_once_rows = (uint64_t)s->dev.caps.compute_units * ROWS_AT_ONCE;
    uint32_t each = (uint32_t)min_u64(ceil_div(p->count, at_once_rows), MATRIX_MOST_EACH);
    struct launch_groups groups = launch_row(ceil_div(p->count, each * ROWS));
    return p->result_words > most
               ? launch_batch_matrix_full(s, most, groups, p->r, p->r_at, p->u, p->u_at,
                                          step_of_u(p), p->v, p->v_at, step_of_v(p), p->count,
                                          p->words, p->result_words, each)
               : launch_batch_matrix_low(s, most, groups, p->r, p->r_at, p->u, p->u_at,
                                         step_of_u(p), p->v, p->v_at, step_of_v(p), p->count,
                                         p->words, p->result_words, each);
}

static enum gpu_status multiply_matrices(struct context *s, const struct batch_product *p,
                                         enum gpu_program program) {
    enum { SHORT_MOST_WORDS = 256 };
    unsigned most = batch_matrix_words(program), rows = most > 512 ? most / 512 : 1;
    uint64_t groups = ceil_div(p->count * rows, BATCH_MATRIX_THREADS / 32);
    if (most <= SHORT_MOST_WORDS)
        return multiply_short(s, p, most);
    if (batch_is_wide(program))
        return launch_batch_matrix_wide(s, most, launch_row(p->count), p->r, p->r_at, p->u, p->u_at,
                                        step_of_u(p), p->v, p->v_at, step_of_v(p), p->count,
                                        p->words, p->result_words);
    return launch_batch_matrix(s, most, launch_row(groups), p->r, p->r_at, p->u, p->u_at,
                               step_of_u(p), p->v, p->v_at, step_of_v(p), p->count, p->words,
                               p->result_words);
}

/* Multiplies `count` numbers, beginning with number `first`, by transforms. The buffer SLOT_WORK
 * must have space for their coefficients. */
static enum gpu_status transform(struct context *s, const struct batch_product *p, uint64_t first,
                                 uint64_t count) {
    unsigned log_n = batch_log(p->words);
    gpu_mem y = s->slot[SLOT_WORK].mem, tables = s->slot[SLOT_TABLES].mem;
    enum gpu_status status =
        launch_batch_transform(s, log_n, launch_row(count * PRIMES * SMALL_BRANCHES(log_n)), y,
                               p->u, p->u_at + first * step_of_u(p), step_of_u(p), p->v,
                               p->v_at + first * step_of_v(p), step_of_v(p), p->words, tables);
    return status == GPU_OK ? launch_batch_carry(s, log_n, launch_row(count), p->r,
                                                 p->r_at + first * p->result_words, y,
                                                 p->result_words, p->from, tables)
                            : status;
}

static enum gpu_status multiply_transforms(struct context *s, const struct batch_product *p) {
    uint64_t most = at_once(p->words, p->count);
    enum gpu_status status = GPU_OK;
    for (uint64_t i = 0; i < p->count && status == GPU_OK; i += most)
        status = transform(s, p, i, min_u64(most, p->count - i));
    return status;
}

enum gpu_status batch_multiply(struct context *s, const struct batch_product *p) {
    enum gpu_program program = batch_program(&s->dev.caps, p->words, p->result_words);
    if (batch_is_transform(program))
        return multiply_transforms(s, p);
    return program == GPU_PROGRAM_batch_mul ? multiply_blocks(s, p)
                                            : multiply_matrices(s, p, program);
}

static struct batch_product product_of(const struct batch_operation *op) {
    return (struct batch_product){.r = op->r,
                                  .u = op->term[0],
                                  .v = op->term[1],
                                  .count = op->count,
                                  .words = op->words,
                                  .result_words =
                                      op->kind == BATCH_PRODUCT ? 2 * op->words : op->words};
}

/* ---- sums */

static enum gpu_status add(struct context *s, const struct batch_operation *op) {
    uint32_t spans = (uint32_t)ceil_div(op->words, BATCH_SPAN);
    uint32_t each = spans < BATCH_THREADS ? BATCH_THREADS / spans : 1;
    gpu_mem term[BATCH_TERMS];
    for (unsigned k = 0; k < BATCH_TERMS; k++)
        term[k] = op->term[k < op->terms ? k : 0];
    return launch_batch_sum(s, launch_row(ceil_div(op->count, each)), op->r,
                            op->carries.h ? op->carries : op->r, op->carries.h != 0,
                            op->borrows != 0, op->count, op->words, spans, each,
                            (uint32_t)ceil_div(spans, BATCH_THREADS), op->terms, op->negated,
                            term[0], term[1], term[2], term[3], term[4], term[5], term[6], term[7]);
}

static enum gpu_status resize(struct context *s, const struct batch_operation *op) {
    uint64_t groups = ceil_div(op->count * op->result_words, BATCH_SPAN * BATCH_THREADS);
    return launch_batch_resize(s, launch_row(groups), op->r, op->term[0], op->count, op->words,
                               op->result_words);
}

/* ---- operations */

static bool is_product(const struct batch_operation *op) {
    return op->kind == BATCH_PRODUCT || op->kind == BATCH_LOW;
}

/* Allocates a buffer and tables for products of result_words words, if transforms compute them.
 * Other programs need no memory. */
static enum gpu_status prepare_products(struct context *s, const struct batch_operation *op,
                                        uint32_t result_words) {
    gpu_mem unused;
    uint64_t words = at_once(op->words, op->count) * PRIMES << batch_log(op->words);
    if (!batch_is_transform(batch_program(&s->dev.caps, op->words, result_words)))
        return GPU_OK;
    enum gpu_status status = context_buffer(s, SLOT_WORK, words * sizeof(uint32_t), &unused);
    return status == GPU_OK ? tables_get(s, &unused) : status;
}

enum gpu_status batch_prepare(struct context *s, const struct batch_operation *op) {
    return is_product(op)
               ? prepare_products(s, op, op->kind == BATCH_PRODUCT ? 2 * op->words : op->words)
               : GPU_OK;
}

enum gpu_status batch_compute(struct context *s, const struct batch_operation *op) {
    struct batch_product p = product_of(op);
    if (op->kind == BATCH_RESIZE)
        return resize(s, op);
    return op->kind == BATCH_SUM ? add(s, op) : batch_multiply(s, &p);
}

/* Queues the computation of the results' residues, which the host keeps for later operations
 * (lib/device/kept.h). */
static enum gpu_status keep(struct context *s, const struct batch_operation *op) {
    const uint64_t words = op->kind == BATCH_PRODUCT  ? 2 * op->words
                           : op->kind == BATCH_RESIZE ? op->result_words
                                                      : op->words;
    enum gpu_status status = kept_result(s, op->r, 0, op->count * words);
    return status == GPU_OK ? kept_result(s, op->carries, 0, 2 * op->count) : status;
}

enum gpu_status batch_operate(struct context *s, const struct batch_operation *asked) {
    struct batch_operation op = *asked;
    const bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    enum gpu_status status = batch_prepare(s, &op);
    if (status == GPU_OK && is_checked)
        status = batch_check_prepare(s, &op);
    if (status == GPU_OK)
        status = batch_compute(s, &op);
    if (status != GPU_OK || !is_checked)
        return status == GPU_OK ? gpu_finish(&s->queue) : status;
    status = verdict_begin(s);
    if (status == GPU_OK)
        status = keep(s, &op);
    if (status == GPU_OK)
        status = batch_check_add(s, &op);
    return status == GPU_OK ? verdict_end(s) : status;
}
