/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reciprocals of batches by Newton's steps, which start from quotients of few words.  Each step is
 * two products of the batch (kernels/modular/barrett.cl). */
#include "lib/modular/barrett_newton.h"

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/modular/euclid_plan.h"
#include "lib/multiply/batch.h"

/* Four work-items of batch_divide hold a divisor of this length. */
enum { LEAF_MOST_WORDS = 64 };

/* The reciprocals Z, of `words` words each, z_step words apart. */
struct reciprocal {
    gpu_mem z;
    uint32_t words, z_step;
};

struct newton {
    const struct euclid_operation *op;
    gpu_mem z, a, product, e; /* of n words; the product has 2 n */
};

/* A step yields at most twice the words of the step before, less 2.  All lengths are equal modulo
 * 4: so the highest words of a number begin where products may load four at once. */
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

/* Prepares the products of a step. */
static enum gpu_status prepare_step(struct context *s, const struct newton *n, uint32_t words) {
    const struct batch_operation product = {
        .kind = BATCH_PRODUCT, .count = n->op->count, .words = words};
    return batch_prepare(s, &product);
}

/* ---- steps */

static struct launch_groups groups_of(const struct newton *n, uint32_t words) {
    return launch_row(ceil_div(n->op->count * words, BATCH_THREADS));
}

/* The shape of launches whose work-items process spans of numbers. */
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

/* Multiplies x by the highest words of each divisor. */
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

/* Makes a step, to `words` words. */
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

/* Makes all steps from the leaf's words on, in order of their sizes. */
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

/* Computes quotients by the divisors' highest words, in the memory of the operation. */
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
