/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels of quotients by Newton's method (kernels/modular/quotient.cl), and the
 * products between them. */
#include "lib/modular/euclid_newton.h"

#include <stdlib.h>

#include "kernels/batch/batch.h"
#include "kernels/modular/divide.h"
#include "kernels/modular/quotient.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/multiply/batch.h"
#include "lib/transfer/transfer.h"

_Static_assert(QUOTIENT_UNIT == QUOTIENT_LEAF * BATCH_SPAN, "all parts are whole spans");
_Static_assert(EUCLID_MOST_WORDS % QUOTIENT_UNIT == 0 &&
                   (uint32_t)EUCLID_MOST_WORDS <= (uint32_t)BATCH_MOST_WORDS,
               "there are products");

/* piece_bytes: device memory in bytes for the intermediate results of one piece. NUMBERS_EACH: how
 * many intermediate results of n words a number of the piece needs at most. */
enum { NUMBERS_EACH = 8 };
static const uint64_t piece_bytes = 1 << 30;
_Static_assert(EUCLID_MOST_WORDS / QUOTIENT_LEAF <= DIVIDE_MOST_WORDS,
               "the first division is by words");

/* Buffers of the context, and how many words they have for each number. n is the count of words of
 * a shifted divisor. */
static const enum context_slot
    slot_m = SLOT_EXPRESSION,         /* shifted divisors: n */
    slot_w = SLOT_EXPRESSION + 1,     /* shifted dividends, later remainders: w_step words each */
    slot_parts = SLOT_EXPRESSION + 2, /* products by both halves of a divisor of n words: 3 n / 2 */
    slot_product = SLOT_EXPRESSION + 3, /* other products: n */
    /* The reciprocals, n / 2 words each. There are two buffers: each step that doubles the
     * reciprocals' length reads one and writes the other. */
    slot_z = SLOT_EXPRESSION + 4, slot_last_z = SLOT_EXPRESSION + 5,
    /* at first the highest words of the divisors, later the errors of reciprocals: n / 2 words */
    slot_e = SLOT_EXPRESSION + 6,
    /* one word for each number: the shift of its divisor. Behind these words are counters:
     * counter z is the number of divisors with exactly z zero words at the top */
    slot_shifts = SLOT_EXPRESSION + 7;

/* A piece of the operation: numbers `first` to first + count - 1. `divisors` is `count`, or 1 if
 * all numbers share one divisor. n: words of a shifted divisor. blocks: steps of the division, each
 * of which computes n / 2 words of each quotient. */
struct piece {
    const struct euclid_part *part;
    uint64_t first, count, divisors;
    uint32_t n, blocks, w_step;
};

/* Reciprocals of `words` words each, which begin z_step words apart. */
struct reciprocal {
    gpu_mem z;
    uint32_t words, z_step;
};

uint32_t euclid_newton_words(uint32_t words) {
    return (uint32_t)ceil_div(words, QUOTIENT_UNIT) * QUOTIENT_UNIT;
}

static gpu_mem mem(struct context *s, enum context_slot slot) {
    return s->slot[slot].mem;
}

static const struct euclid_operation *op_of(const struct piece *p) {
    return p->part->op;
}

/* ---- launches */

/* How additions are divided among work-groups. Each work-group adds `each` short numbers, or a
 * single long number in `tiles` parts, one after the other. */
struct share {
    uint32_t each, tiles;
    struct launch_groups groups;
};

static struct share share_of(uint32_t words, uint64_t count) {
    const uint32_t spans = words / BATCH_SPAN;
    struct share share = {.each = spans < BATCH_THREADS ? BATCH_THREADS / spans : 1};
    share.tiles = (uint32_t)ceil_div(spans, BATCH_THREADS);
    share.groups = launch_row(ceil_div(count, share.each));
    return share;
}

/* Returns the size of a launch for `words` words, in which each work-item processes one span
 * (BATCH_SPAN words). */
static struct launch_groups groups_of(uint64_t words) {
    return launch_row(ceil_div(words, BATCH_SPAN * BATCH_THREADS));
}

/* Queues the products p: the whole products (BATCH_PRODUCT), or their lowest p.words words
 * (BATCH_LOW). First allocates the memory that they need. Ignores p.result_words. */
static enum gpu_status multiply(struct context *s, enum batch_kind kind, struct batch_product p) {
    const struct batch_operation product = {.kind = kind, .count = p.count, .words = p.words};
    enum gpu_status status = batch_prepare(s, &product);
    p.result_words = kind == BATCH_PRODUCT ? 2 * p.words : p.words;
    return status == GPU_OK ? batch_multiply(s, &p) : status;
}

/* Queues the products of u by two adjacent parts of each shifted divisor, from word `at`: the full
 * products by the lower part, then the low halves of the products by the upper part. */
static enum gpu_status multiply_parts(struct context *s, const struct piece *p,
                                      struct batch_product product, uint32_t at) {
    product.r = mem(s, slot_parts);
    product.v = mem(s, slot_m);
    product.v_at = at;
    product.v_step = p->n;
    product.v_is_one = p->divisors < product.count;
    enum gpu_status status = multiply(s, BATCH_PRODUCT, product);
    product.r_at = 2 * product.count * product.words;
    product.v_at = at + product.words;
    return status == GPU_OK ? multiply(s, BATCH_LOW, product) : status;
}

/* ---- reciprocals */

/* Shifts the divisors, and queues the first approximations of their reciprocals: quotients by the
 * highest words of the divisors, computed word by word. */
static enum gpu_status leaf(struct context *s, const struct piece *p, struct reciprocal *z) {
    const struct euclid_operation *op = op_of(p);
    const uint32_t k = p->n / QUOTIENT_LEAF;
    const struct euclid_operation first = {.kind = EUCLID_DIVIDE,
                                           .by_words = true,
                                           .count = p->divisors,
                                           .words = k,
                                           .u_words = 2 * k,
                                           .q = mem(s, slot_z),
                                           .u = mem(s, slot_parts),
                                           .v = mem(s, slot_e)};
    const struct euclid_part all = {.op = &first, .count = first.count};
    *z = (struct reciprocal){first.q, k, 2 * k};
    enum gpu_status status = launch_quotient_normalize(
        s, groups_of(p->divisors * p->n), mem(s, slot_shifts), p->count, mem(s, slot_m), first.v,
        first.u, op->v, p->part->d_at + (p->part->first + p->first) * euclid_v_step(op),
        p->divisors, op->words, p->n, k);
    return status == GPU_OK ? euclid_divide(s, &all) : status;
}

/* Queues a step of Newton's iteration, which doubles the length of the reciprocals. */
static enum gpu_status extend(struct context *s, const struct piece *p, struct reciprocal *z) {
    const uint32_t k = z->words;
    const uint64_t count = p->divisors;
    const gpu_mem e = mem(s, slot_e), product = mem(s, slot_product);
    const gpu_mem next = mem(s, z->z.h == mem(s, slot_z).h ? slot_last_z : slot_z);
    const struct share once = share_of(k, count), twice = share_of(2 * k, count);
    struct batch_product by_z = {.u = z->z, .u_step = z->z_step, .count = count, .words = k};
    enum gpu_status status = multiply_parts(s, p, by_z, p->n - 2 * k);
    if (status == GPU_OK)
        status =
            launch_quotient_error(s, once.groups, e, mem(s, slot_parts), 2 * count * k, z->z,
                                  z->z_step, mem(s, slot_m), p->n, count, k, once.each, once.tiles);
    by_z.r = product;
    by_z.v = e;
    by_z.v_step = QUOTIENT_E_STEP(k);
    if (status == GPU_OK)
        status = multiply(s, BATCH_PRODUCT, by_z);
    if (status == GPU_OK)
        status = launch_quotient_improve(s, twice.groups, next, z->z, z->z_step, e, product, count,
                                         k, twice.each, twice.tiles);
    *z = (struct reciprocal){next, 2 * k, 2 * k};
    return status;
}

/* Sets *zeros to the greatest count of zero words at the top of a divisor. */
static enum gpu_status count_zeros(struct context *s, const struct piece *p, uint32_t *zeros) {
    const uint32_t words = op_of(p)->words;
    uint32_t *found = malloc(words * sizeof *found);
    enum gpu_status status = found
                                 ? transfer_down(s->transfer, &s->queue, found, mem(s, slot_shifts),
                                                 p->count * sizeof *found, words * sizeof *found)
                                 : GPU_NOMEM;
    *zeros = words - 1;
    while (status == GPU_OK && *zeros > 0 && found[*zeros] == 0)
        --*zeros;
    free(found);
    return status;
}

/* ---- quotients */

/* Queues the first step of the division: computes the highest word c of each quotient, and
 * subtracts c times the shifted divisor from the top of the dividend. */
static enum gpu_status begin(struct context *s, const struct piece *p, uint32_t q_words) {
    const struct euclid_operation *op = op_of(p);
    const struct share share = share_of(p->n, p->count);
    const uint32_t one = p->divisors < p->count;
    enum gpu_status status =
        launch_quotient_shift(s, groups_of(p->count * p->w_step), mem(s, slot_w), p->w_step, op->u,
                              (p->part->first + p->first) * op->u_words, mem(s, slot_shifts), !one,
                              p->count, op->u_words);
    if (status != GPU_OK)
        return status;
    return launch_quotient_begin(s, share.groups, q_words ? op->q : mem(s, slot_w),
                                 (p->part->first + p->first) * q_words, q_words, mem(s, slot_w),
                                 p->w_step, p->blocks * p->n / 2, mem(s, slot_m), one ? 0 : p->n,
                                 p->count, p->n, share.each, share.tiles);
}

/* Queues a step of the division, which computes n / 2 words of the quotients, from word `low` up,
 * where n is the count of words of a shifted divisor. */
static enum gpu_status step(struct context *s, const struct piece *p, gpu_mem z, uint32_t q_words,
                            uint32_t low) {
    const struct euclid_operation *op = op_of(p);
    const uint32_t h = p->n / 2;
    const bool is_one = p->divisors < p->count;
    const gpu_mem product = mem(s, slot_product);
    const struct share share = share_of(p->n, p->count);
    const struct batch_product estimate = {.r = product,
                                           .u = mem(s, slot_w),
                                           .u_at = low + p->n,
                                           .u_step = p->w_step,
                                           .v = z,
                                           .v_is_one = is_one,
                                           .count = p->count,
                                           .words = h};
    const struct batch_product by_m = {
        .u = product, .u_at = h, .u_step = p->n, .count = p->count, .words = h};
    enum gpu_status status = multiply(s, BATCH_PRODUCT, estimate);
    if (status == GPU_OK)
        status = multiply_parts(s, p, by_m, 0);
    if (status != GPU_OK)
        return status;
    return launch_quotient_step(
        s, share.groups, q_words ? op->q : mem(s, slot_w), (p->part->first + p->first) * q_words,
        q_words, mem(s, slot_w), p->w_step, low, product, mem(s, slot_parts), p->count * p->n,
        mem(s, slot_m), is_one ? 0 : p->n, p->count, p->n, share.each, share.tiles);
}

/* Queues all steps of the division, then the remainders. */
static enum gpu_status divide(struct context *s, const struct piece *p, gpu_mem z) {
    const struct euclid_operation *op = op_of(p);
    const uint32_t q_words = op->q.h ? op->u_words : 0;
    enum gpu_status status = begin(s, p, q_words);
    for (uint32_t k = p->blocks; k > 0 && status == GPU_OK; k--)
        status = step(s, p, z, q_words, (k - 1) * p->n / 2);
    if (status != GPU_OK || !op->r.h)
        return status;
    return launch_quotient_end(s, groups_of(p->count * op->words), op->r,
                               (p->part->first + p->first) * op->words, mem(s, slot_w), p->w_step,
                               mem(s, slot_shifts), p->divisors == p->count, p->count, op->words,
                               p->n);
}

/* ---- pieces */

static enum gpu_status buffer(struct context *s, enum context_slot slot, uint64_t words) {
    gpu_mem unused;
    return context_buffer(s, slot, words * sizeof(uint32_t), &unused);
}

/* Allocates all buffers except the one for dividends, whose length is not known yet. Clears the
 * counts of zero words. */
static enum gpu_status prepare(struct context *s, const struct piece *p) {
    const uint32_t n = p->n, words = op_of(p)->words;
    const struct {
        enum context_slot slot;
        uint64_t words;
    } buffers[] = {{slot_m, p->divisors * n},          {slot_parts, p->count * (n + n / 2)},
                   {slot_product, p->count * n},       {slot_z, p->divisors * (n / 2)},
                   {slot_last_z, p->divisors * n / 2}, {slot_e, p->divisors * (n / 2)},
                   {slot_shifts, p->count + words}};
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < sizeof buffers / sizeof *buffers && status == GPU_OK; k++)
        status = buffer(s, buffers[k].slot, buffers[k].words);
    return status == GPU_OK ? gpu_zero(&s->queue, mem(s, slot_shifts), p->count * sizeof(uint32_t),
                                       words * sizeof(uint32_t))
                            : status;
}

/* Sets the count of steps for the longest quotient, and allocates memory for dividends. Divisors
 * may have up to `zeros` zero words at the top, which make quotients longer. */
static enum gpu_status prepare_dividends(struct context *s, struct piece *p, uint32_t zeros) {
    const struct euclid_operation *op = op_of(p);
    p->blocks = (uint32_t)ceil_div(op->u_words - op->words + zeros, p->n / 2);
    p->w_step = p->blocks * p->n / 2 + p->n + 4;
    return buffer(s, slot_w, p->count * p->w_step);
}

static enum gpu_status divide_piece(struct context *s, struct piece p) {
    struct reciprocal z;
    uint32_t zeros;
    enum gpu_status status = prepare(s, &p);
    if (status == GPU_OK)
        status = leaf(s, &p, &z);
    while (status == GPU_OK && z.words < p.n / 2)
        status = extend(s, &p, &z);
    if (status == GPU_OK)
        status = count_zeros(s, &p, &zeros);
    if (status == GPU_OK)
        status = prepare_dividends(s, &p, zeros);
    return status == GPU_OK ? divide(s, &p, z.z) : status;
}

enum gpu_status euclid_newton(struct context *s, const struct euclid_part *part) {
    struct piece p = {.part = part, .n = euclid_newton_words(part->op->words)};
    const uint64_t most = piece_bytes / (NUMBERS_EACH * p.n * sizeof(uint32_t));
    enum gpu_status status = GPU_OK;
    for (uint64_t i = 0; i < part->count && status == GPU_OK; i += p.count) {
        p.first = i;
        p.count = min_u64(most, part->count - i);
        p.divisors = part->op->v_is_one ? 1 : p.count;
        status = divide_piece(s, p);
    }
    return status;
}
