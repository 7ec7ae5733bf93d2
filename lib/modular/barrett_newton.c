/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the reciprocals of a batch's numbers by Newton's iteration, which starts from short
 * quotients. Each step computes two products of the batch (kernels/modular/barrett.cl). */
#include "lib/modular/barrett_newton.h"

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/modular/euclid_plan.h"
#include "lib/multiply/batch.h"

/* The most words of the short divisors with which the iteration starts. Four work-items of the
 * kernel batch_divide compute the quotient by such a divisor. */
enum { LEAF_MOST_WORDS = 64 };

/* The current approximations Z of the reciprocals: each has `words` words and begins z_step words
 * after the previous one. */
struct reciprocal {
    gpu_mem z;
    uint32_t words, z_step;
};

struct newton {
    const struct euclid_operation *op;
    gpu_mem z, a, product, e; /* buffers with n words for each number; `product` has 2 n */
};

/* Returns the words of the approximation from which a step computes an approximation of `words`
 * words. A step doubles the length, less 2 words. All lengths are equal modulo 4, so that products
 * can load four words at once from a number's highest words. */
uint32_t barrett_smaller_words(uint32_t words) {
    const uint32_t least = words / 2 + 1;
    return least + ((words - least) & 3);
}

uint32_t barrett_leaf_words(uint32_t words) {
    while (words > LEAF_MOST_WORDS)
        words = barrett_smaller_words(words);
    return words;
}

/* ---- memory */

static enum gpu_status prepare(struct context *s, struct newton *n) {
    const uint64_t bytes = n->op->count * n->op->words * sizeof(uint32_t);
    enum gpu_status status = context_buffer(s, SLOT_EXPRESSION, bytes, &n->z);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_KEPT, bytes, &n->a);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_ADDEND, 2 * bytes, &n->product);
    return status == GPU_OK ? context_buffer(s, SLOT_R, bytes, &n->e) : status;
}

/* Prepares the kernels for the two products of one step. */
static enum gpu_status prepare_step(struct context *s, const struct newton *n, uint32_t words) {
    const struct batch_operation product = {
        .kind = BATCH_PRODUCT, .count = n->op->count, .words = words};
    return batch_prepare(s, &product);
}

/* ---- steps */

static struct launch_groups groups_of(const struct newton *n, uint32_t words) {
    return launch_row(ceil_div(n->op->count * words, BATCH_THREADS));
}

/* The size of launches in which each work-item processes one span (BATCH_SPAN words) of a
 * number. */
struct share {
    uint32_t spans, each, tiles;
    struct launch_groups groups;
};

static struct share share_of(const struct newton *n, uint32_t words) {
    struct share share = {.spans = (uint32_t)ceil_div(words, BATCH_SPAN)};
    share.each = share.spans < BATCH_THREADS ? BATCH_THREADS / share.spans : 1;
    share.tiles = (uint32_t)ceil_div(share.spans, BATCH_THREADS);
    share.groups = launch_row(ceil_div(n->op->count, share.each));
    return share;
}

/* Queues the products of x and the highest `words` words of each divisor. */
static enum gpu_status multiply(struct context *s, const struct newton *n, gpu_mem x,
                                uint32_t words) {
    const struct batch_product product = {.r = n->product,
                                          .u = x,
                                          .v = n->op->v,
                                          .v_at = n->op->words - words,
                                          .v_step = n->op->words,
                                          .count = n->op->count,
                                          .words = words,
                                          .result_words = 2 * words};
    return batch_multiply(s, &product);
}

static enum gpu_status multiply_error(struct context *s, const struct newton *n, uint32_t words) {
    const struct batch_product product = {.r = n->product,
                                          .u = n->a,
                                          .v = n->e,
                                          .count = n->op->count,
                                          .words = words,
                                          .result_words = 2 * words};
    return batch_multiply(s, &product);
}

/* Queues one step of the iteration, which extends the approximations to `words` words. */
static enum gpu_status step(struct context *s, const struct newton *n, struct reciprocal *z,
                            uint32_t words) {
    const struct share share = share_of(n, words);
    const uint64_t count = n->op->count;
    enum gpu_status status = prepare_step(s, n, words);
    if (status == GPU_OK)
        status = launch_barrett_extend(s, groups_of(n, words), n->a, z->z, z->z_step, z->words,
                                       count, words);
    if (status == GPU_OK)
        status = multiply(s, n, n->a, words);
    if (status == GPU_OK)
        status = launch_barrett_error(s, groups_of(n, words), n->e, n->product, count, words);
    if (status == GPU_OK)
        status = multiply_error(s, n, words);
    *z = (struct reciprocal){n->z, words, words};
    return status == GPU_OK
               ? launch_barrett_improve(s, share.groups, n->z, n->a, n->e, n->product, count, words,
                                        share.spans, share.each, share.tiles)
               : status;
}

/* Queues all steps from the approximation z up to `words` words, shortest first. */
static enum gpu_status climb(struct context *s, const struct newton *n, struct reciprocal *z,
                             uint32_t words) {
    enum gpu_status status = GPU_OK;
    while (z->words < words && status == GPU_OK) {
        uint32_t next = words;
        while (barrett_smaller_words(next) > z->words)
            next = barrett_smaller_words(next);
        status = step(s, n, z, next);
    }
    return status;
}

/* Queues divisions by the highest words of the divisors. Their short quotients, from which the
 * iteration starts, are stored in the operation's memory for quotients. */
static enum gpu_status leaf(struct context *s, const struct newton *n, struct reciprocal *z) {
    const uint32_t words = barrett_leaf_words(n->op->words);
    struct euclid_operation op = *n->op;
    op.words = words;
    op.u_words = 2 * words;
    op.u = n->product;
    op.v = n->a;
    *z = (struct reciprocal){op.q, words, 2 * words};
    enum gpu_status status =
        launch_barrett_leaf(s, launch_row(ceil_div(op.count, BATCH_THREADS)), op.v, op.u, n->op->v,
                            op.count, n->op->words, words);
    return status == GPU_OK ? euclid_operate(s, &op) : status;
}

static enum gpu_status finish(struct context *s, const struct newton *n,
                              const struct reciprocal *z) {
    const struct euclid_operation *op = n->op;
    const struct share share = share_of(n, op->words);
    enum gpu_status status = multiply(s, n, z->z, op->words);
    return status == GPU_OK
               ? launch_barrett_finish(s, share.groups, op->q, op->r, z->z, n->product, op->v,
                                       op->count, op->words, share.spans, share.each, share.tiles)
               : status;
}

enum gpu_status barrett_reciprocals(struct context *s, const struct euclid_operation *op) {
    struct newton n = {.op = op};
    struct reciprocal z;
    if (op->words <= LEAF_MOST_WORDS)
        return euclid_operate(s, op);
    enum gpu_status status = prepare(s, &n);
    if (status == GPU_OK)
        status = leaf(s, &n, &z);
    if (status == GPU_OK)
        status = climb(s, &n, &z, op->words);
    return status == GPU_OK ? finish(s, &n, &z) : status;
}
