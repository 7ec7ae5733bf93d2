/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by number-theoretic transforms: cuts long operands into pieces as planned
 * (struct ntt_plan), and adds the products of the pieces. */
#include "lib/multiply/ntt.h"

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/tables.h"
#include "lib/multiply/ntt_passes.h"

_Static_assert(CARRY_SURPLUS == NTT_SURPLUS,
               "what carry_mulmod reduces is what a sum in a ring has");

#define DIGIT_WORDS NTT_DIGIT_WORDS

/* The state of a product that is computed in pieces. The first `written` words of r contain the sum
 * of the products so far. */
struct cut {
    struct context *s;
    const struct ntt_plan *plan;
    struct number r, u, v;
    uint64_t written;
    struct ntt_row work, kept, window;
};

/* Completes the inverse transform of the product in c->work, of at most `words` words, and adds it
 * to r at word `at`. Only r's words below c->written contain earlier products. */
static enum gpu_status add_product(struct cut *c, uint64_t at, uint64_t words) {
    const struct ntt_length *l = &c->plan->length;
    struct number to = number_part(c->r, at, words), product;
    uint64_t old = c->written > at ? c->written - at : 0;
    c->written = old > to.words ? c->written : at + to.words;
    if (old == 0)
        return ntt_inverse(c->s, l, c->work, to);
    struct number before = number_part(c->r, at, old);
    enum gpu_status status = number_in_slot(c->s, SLOT_PART, words, &product);
    product.words = to.words;
    if (status == GPU_OK)
        status = ntt_inverse(c->s, l, c->work, product);
    if (status != GPU_OK)
        return status;
    return old > to.words ? number_add(c->s, before, before, product, 0, NULL)
                          : number_add(c->s, to, product, before, 0, NULL);
}

/* Queues the transforms of u and v, and their point-wise product in `work`. The caller completes
 * the inverse transform. The product must fit the transforms' length, unless it may wrap around. */
static enum gpu_status pointwise_whole(struct context *s, const struct ntt_length *l,
                                       struct ntt_row work, struct number u, struct number v) {
    struct ntt_row other;
    if (number_same(u, v))
        return ntt_pointwise(s, l, work, u, NULL);
    enum gpu_status status = ntt_row_in_slot(s, l, SLOT_KEPT, 1, &other);
    return status == GPU_OK ? ntt_pointwise_pair(s, l, work, other, u, v) : status;
}

static enum gpu_status whole_mul(struct cut *c) {
    enum gpu_status status = pointwise_whole(c->s, &c->plan->length, c->work, c->u, c->v);
    return status == GPU_OK ? add_product(c, 0, c->u.words + c->v.words) : status;
}

/* Multiplies u, in pieces, by v, which is so short that it is not cut. Computes the transform of v
 * only once. */
static enum gpu_status pieces_mul(struct cut *c) {
    const struct ntt_length *l = &c->plan->length;
    const uint64_t step = c->plan->piece_u * DIGIT_WORDS;
    enum gpu_status status = ntt_row_in_slot(c->s, l, SLOT_KEPT, 1, &c->kept);
    if (status == GPU_OK)
        status = ntt_forward(c->s, l, c->kept, 0, c->v);
    for (uint64_t at = 0; at < c->u.words && status == GPU_OK; at += step) {
        struct number piece = number_part(c->u, at, step);
        status = ntt_pointwise(c->s, l, c->work, piece, &c->kept);
        if (status == GPU_OK)
            status = add_product(c, at, piece.words + c->v.words);
    }
    return status;
}

/* Adds the products of piece k - j of u by part first + j of v, for lowest <= j <= highest. All
 * these products begin at the same word of the result, so up to plan->terms of them share one
 * inverse transform. */
static enum gpu_status diagonal_mul(struct cut *c, uint64_t first, uint64_t k, uint64_t lowest,
                                    uint64_t highest) {
    const struct ntt_plan *plan = c->plan;
    const uint64_t step = plan->part_v * DIGIT_WORDS;
    struct ntt_sum sum = {.kept = c->kept, .window = c->window, .k = k};
    enum gpu_status status = GPU_OK;
    for (uint64_t j = lowest; j <= highest && status == GPU_OK; j += plan->terms) {
        uint64_t left = highest + 1 - j;
        sum.first = j;
        sum.count = left < plan->terms ? (unsigned)left : plan->terms;
        status = ntt_pointwise_sum(c->s, &plan->length, c->work, &sum);
        if (status == GPU_OK)
            status = add_product(c, (first + k) * step, 2 * step + 1);
    }
    return status;
}

/* Multiplies u by up to plan->kept parts of v, from part `first`. The transforms of these parts are
 * in memory at the same time. `window` has the transforms of the last pieces of u, or is c->kept if
 * that has all pieces of a square. Each transform is computed when it is first needed, so that
 * uploads and computation overlap. */
static enum gpu_status parts_mul(struct cut *c, uint64_t first) {
    const struct ntt_plan *plan = c->plan;
    const uint64_t step = plan->part_v * DIGIT_WORDS;
    uint64_t here = plan->parts - first < plan->kept ? plan->parts - first : plan->kept;
    enum gpu_status status = GPU_OK;
    for (uint64_t k = 0; k < plan->pieces + here - 1 && status == GPU_OK; k++) {
        uint64_t lowest = k < plan->pieces ? 0 : k - plan->pieces + 1;
        if (k < here)
            status = ntt_forward(c->s, &plan->length, c->kept, k,
                                 number_part(c->v, (first + k) * step, step));
        if (status == GPU_OK && k < plan->pieces && c->window.mem.h != c->kept.mem.h)
            status = ntt_forward(c->s, &plan->length, c->window, k % c->window.count,
                                 number_part(c->u, k * step, step));
        if (status == GPU_OK)
            status = diagonal_mul(c, first, k, lowest, k < here ? k : here - 1);
    }
    return status;
}

static enum gpu_status all_parts_mul(struct cut *c) {
    const struct ntt_plan *plan = c->plan;
    enum gpu_status status = ntt_row_in_slot(c->s, &plan->length, SLOT_KEPT, plan->kept, &c->kept);
    if (status == GPU_OK && plan->kept == plan->parts && number_same(c->u, c->v))
        c->window = c->kept;
    else if (status == GPU_OK)
        status = ntt_row_in_slot(c->s, &plan->length, SLOT_WINDOW, plan->kept, &c->window);
    for (uint64_t first = 0; first < plan->parts && status == GPU_OK; first += plan->kept)
        status = parts_mul(c, first);
    return status;
}

/* Allocates the tables, and memory for one transform. */
static enum gpu_status begin(struct context *s, const struct ntt_length *l, struct ntt_row *work) {
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    return status == GPU_OK ? ntt_row_in_slot(s, l, SLOT_WORK, 1, work) : status;
}

enum gpu_status ntt_mul(struct context *s, const struct ntt_plan *plan, struct number r,
                        struct number u, struct number v) {
    struct cut c = {.s = s, .plan = plan, .r = r, .u = u, .v = v};
    enum gpu_status status = begin(s, &plan->length, &c.work);
    if (status != GPU_OK)
        return status;
    if (plan->parts > 1)
        return all_parts_mul(&c);
    return plan->pieces > 1 ? pieces_mul(&c) : whole_mul(&c);
}

enum gpu_status ntt_mul_wraparound(struct context *s, const struct ntt_length *length,
                                   struct number r, struct number u, struct number v) {
    struct ntt_row work;
    enum gpu_status status = begin(s, length, &work);
    if (status == GPU_OK)
        status = pointwise_whole(s, length, work, u, v);
    return status == GPU_OK ? ntt_inverse_mulmod(s, length, work, r) : status;
}

enum gpu_status ntt_keep_room(struct context *s, const struct ntt_length *length,
                              enum context_slot slot) {
    struct ntt_row row;
    return ntt_row_in_slot(s, length, slot, 1, &row);
}

enum gpu_status ntt_keep(struct context *s, const struct ntt_length *length, enum context_slot slot,
                         struct number v) {
    struct ntt_row row, unused;
    enum gpu_status status = begin(s, length, &unused);
    if (status == GPU_OK)
        status = ntt_row_in_slot(s, length, slot, 1, &row);
    return status == GPU_OK ? ntt_forward(s, length, row, 0, v) : status;
}

/* Multiplies the transform of u by the stored transform in buffer `slot`. Stores the product in
 * `work`; the caller completes the inverse transform. */
static enum gpu_status pointwise_kept(struct context *s, const struct ntt_length *l,
                                      struct ntt_row *work, struct number u,
                                      enum context_slot slot) {
    struct ntt_row row;
    enum gpu_status status = begin(s, l, work);
    if (status == GPU_OK)
        status = ntt_row_in_slot(s, l, slot, 1, &row);
    return status == GPU_OK ? ntt_pointwise(s, l, *work, u, &row) : status;
}

enum gpu_status ntt_mul_kept(struct context *s, const struct ntt_length *length, struct number r,
                             struct number u, enum context_slot slot) {
    struct ntt_row work;
    enum gpu_status status = pointwise_kept(s, length, &work, u, slot);
    return status == GPU_OK ? ntt_inverse(s, length, work, r) : status;
}

enum gpu_status ntt_mul_kept_wraparound(struct context *s, const struct ntt_length *length,
                                        struct number r, struct number u, enum context_slot slot) {
    struct ntt_row work;
    enum gpu_status status = pointwise_kept(s, length, &work, u, slot);
    return status == GPU_OK ? ntt_inverse_mulmod(s, length, work, r) : status;
}

/* Returns a description of the device for ntt_plan_init. A plan may use 15/16 of the device's
 * memory, or of the option `memory` if that is less, minus the memory of numbers of `words` words
 * in all. */
static struct ntt_device beside(const struct context *s, uint64_t words) {
    uint64_t memory = s->dev.caps.memory_bytes, numbers = words * sizeof(uint32_t);
    const uint64_t limit = conf_job().memory;
    if (limit && limit < memory)
        memory = limit;
    memory -= memory / 16;
    return (struct ntt_device){.bytes = numbers < memory ? (memory - numbers) >> s->tight : 0,
                               .largest = s->dev.caps.max_alloc,
                               .digits = UINT64_MAX,
                               .launch = s->dev.caps.is_cpu ? NTT_LAUNCH_CPU : NTT_LAUNCH_GPU};
}

uint64_t ntt_room(const struct context *s, uint64_t words) {
    return beside(s, words).bytes;
}

bool ntt_has_room(const struct context *s, const struct ntt_length *length, uint64_t words) {
    struct ntt_device device = beside(s, words);
    uint64_t bytes = ntt_length_digits(length) * NTT_DIGIT_RESIDUES;
    return bytes <= device.largest && 2 * bytes <= device.bytes;
}

enum gpu_status ntt_plan(const struct context *s, struct ntt_plan *plan, uint64_t un, uint64_t vn) {
    struct ntt_device device = beside(s, 2 * (un + vn));
    return ntt_plan_init(plan, ceil_div(un, DIGIT_WORDS), ceil_div(vn, DIGIT_WORDS), &device)
               ? GPU_OK
               : GPU_NOMEM;
}
