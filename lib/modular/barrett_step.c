/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One step of Barrett's reduction: x modulo m for many numbers x, by two products of the batch and
 * launches before and after them.
 *
 * A modulus m has n words; B = 2^32. First x is shifted left like the modulus, and divided by B^n;
 * let y be the integer part. Then q = floor(y I / B^n), where I is the modulus's precomputed
 * constant, is at most half of the quotient. The kernel barrett_resolve computes the remainder x -
 * 2 q m - c m, with c from 0 to 6 (kernels/modular/). */
#include "lib/modular/barrett_step.h"

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"

uint64_t barrett_piece_bytes = 256 << 20;

static const enum context_slot slot_x = SLOT_U, slot_product = SLOT_V, slot_by_m = SLOT_PART,
                               slot_rows = SLOT_CALC;

/* A quotient is the upper part of the product of the shifted number and the modulus's constant.
 * The product is not computed in full: only the quotient's words and the FRACTION_WORDS words
 * below them. A carry from the omitted words rarely matters. If it does, the computed fraction is
 * nearly 1, and barrett_resolve corrects the quotient. */
enum { FRACTION_WORDS = 16 };

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

static uint32_t words_of(const struct barrett_piece *p) {
    return p->b->op.words;
}

uint32_t barrett_m_step(const struct barrett_piece *p) {
    return p->b->op.moduli.is_one ? 0 : words_of(p);
}

uint32_t barrett_known_step(const struct barrett_piece *p) {
    return p->b->op.moduli.is_one ? 0 : BARRETT_KNOWN_WORDS(words_of(p));
}

/* ---- memory */

static enum gpu_status prepare_products(struct context *s, const struct barrett_piece *p) {
    struct batch_operation product = {
        .kind = BATCH_PRODUCT, .count = p->count, .words = words_of(p)};
    enum gpu_status status = batch_prepare(s, &product);
    product.kind = BATCH_LOW;
    return status == GPU_OK ? batch_prepare(s, &product) : status;
}

static enum gpu_status prepare_check(struct context *s, const struct barrett_piece *p,
                                     uint32_t rows) {
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    if (status == GPU_OK)
        status = context_buffer(s, slot_rows, rows * p->count * sizeof(uint64_t), &unused);
    return status == GPU_OK ? verdict_begin(s) : status;
}

enum gpu_status barrett_step_prepare(struct context *s, const struct barrett_piece *p,
                                     uint32_t rows) {
    const uint64_t bytes = p->count * words_of(p) * sizeof(uint32_t);
    gpu_mem unused;
    enum gpu_status status = context_buffer(s, slot_x, 2 * bytes, &unused);
    if (status == GPU_OK)
        status = context_buffer(s, slot_product, 2 * bytes, &unused);
    if (status == GPU_OK)
        status = context_buffer(s, slot_by_m, bytes, &unused);
    if (status == GPU_OK)
        status = prepare_products(s, p);
    return status == GPU_OK && is_checked() ? prepare_check(s, p, rows) : status;
}

/* ---- the check */

struct share {
    uint32_t items, each;
    struct launch_groups groups;
};

static struct share share_of(const struct barrett_piece *p, uint64_t count) {
    const uint32_t spans = (uint32_t)ceil_div(words_of(p), BATCH_CHECK_SPAN);
    struct share share = {.items = spans < BATCH_THREADS ? spans : BATCH_THREADS};
    share.each = BATCH_THREADS / share.items;
    share.groups = launch_row(ceil_div(count, share.each));
    return share;
}

static enum gpu_status find_residues(struct context *s, const struct barrett_piece *p, uint32_t to,
                                     struct barrett_numbers x, uint64_t count) {
    const struct share share = share_of(p, count);
    return launch_barrett_residue(s, share.groups, s->slot[slot_rows].mem, to * p->count, x.mem,
                                  x.at, x.step, count, words_of(p), share.items, share.each,
                                  s->slot[SLOT_TABLES].mem, tables_residue_at());
}

enum gpu_status barrett_residues(struct context *s, const struct barrett_piece *p, uint32_t to,
                                 struct barrett_numbers x) {
    return is_checked() ? find_residues(s, p, to, x, p->count) : GPU_OK;
}

enum gpu_status barrett_residues_of_m(struct context *s, const struct barrett_piece *p) {
    const struct modular_operation *op = &p->b->op;
    const struct barrett_numbers m = {op->moduli.m, p->first * barrett_m_step(p), op->words};
    if (!is_checked())
        return GPU_OK;
    return find_residues(s, p, p->row_of_m, m, op->moduli.is_one ? 1 : p->count);
}

/* Queues the check of a step; q is the quotient that the step has used. */
static enum gpu_status check(struct context *s, const struct barrett_piece *p,
                             const struct barrett_step *step, struct barrett_numbers q) {
    const struct share share = share_of(p, p->count);
    if (!is_checked())
        return GPU_OK;
    enum gpu_status status =
        step->is_last ? kept_result(s, step->r, step->r_at, p->count * words_of(p)) : GPU_OK;
    if (status != GPU_OK)
        return status;
    return launch_barrett_check(
        s, share.groups, verdict_mem(s), verdict_pass(s, share.groups.x), s->slot[slot_rows].mem,
        step->to * p->count, step->of, step->a * p->count, step->b * p->count,
        p->row_of_m * p->count, !p->b->op.moduli.is_one, q.step ? q.mem : step->r, q.at, q.step,
        p->b->op.moduli.m, barrett_m_step(p), p->first, step->r, step->r_at, p->count, words_of(p),
        p->b->op.kind == MODULAR_KIND_POW_SECURE, share.items, share.each, s->slot[SLOT_TABLES].mem,
        tables_residue_at());
}

enum gpu_status barrett_end(struct context *s) {
    return is_checked() ? verdict_end(s) : gpu_finish(&s->queue);
}

/* ---- steps */

/* Queues the kernel barrett_resolve, with B^n = 2^(32 * words):
 * - BARRETT_STEP: computes the remainder of hi B^n + lo; y is the product of quotient and modulus
 * - other kinds: compute the sum or the difference of hi and lo modulo m; y is lo */
static enum gpu_status resolve(struct context *s, const struct barrett_piece *p, uint32_t kind,
                               const struct barrett_step *step, struct barrett_numbers y,
                               bool has_product) {
    const uint32_t words = words_of(p), spans = (uint32_t)ceil_div(words, BATCH_SPAN);
    const uint32_t each = spans < BATCH_THREADS ? BATCH_THREADS / spans : 1;
    const struct barrett_numbers x = kind == BARRETT_STEP ? step->lo : step->hi;
    const struct barrett_numbers hi = step->hi.mem.h ? step->hi : step->lo;
    return launch_barrett_resolve(
        s, launch_row(ceil_div(p->count, each)), step->r, step->r_at, kind, hi.mem, hi.at, hi.step,
        step->hi.mem.h != 0, x.mem, x.at, x.step, y.mem, y.at,
        has_product ? s->slot[slot_product].mem : x.mem, has_product, p->b->op.moduli.m,
        barrett_m_step(p), p->b->op.moduli.known, barrett_known_step(p), p->first, p->count, words,
        spans, each, (uint32_t)ceil_div(spans, BATCH_THREADS));
}

/* The number that is reduced has a low half lo and a high half hi, of `words` words each. Shifts it
 * up as the modulus is shifted, and sets *y to its high half. If no modulus is shifted, sets *y to
 * hi without a launch. */
static enum gpu_status shift(struct context *s, const struct barrett_piece *p,
                             const struct barrett_step *step, struct barrett_numbers *y) {
    const uint32_t words = words_of(p);
    const struct barrett_numbers hi = step->hi.mem.h ? step->hi : step->lo;
    *y = hi;
    if (p->b->is_normal)
        return GPU_OK;
    *y = (struct barrett_numbers){s->slot[slot_by_m].mem, 0, words};
    const uint64_t groups = ceil_div(p->count * words, BATCH_SPAN * BATCH_THREADS);
    return launch_barrett_high(s, launch_row(groups), y->mem, hi.mem, hi.at, hi.step,
                               step->hi.mem.h != 0, step->lo.mem, step->lo.at, step->lo.step,
                               p->b->op.moduli.known, barrett_known_step(p), p->first, p->count,
                               words);
}

/* Queues the product of y and the modulus's reciprocal; *q becomes the product's upper half, which
 * is the estimated quotient. Then queues the product of *q and the modulus. */
static enum gpu_status estimate(struct context *s, const struct barrett_piece *p,
                                struct barrett_numbers y, struct barrett_numbers *q) {
    const struct modular_operation *op = &p->b->op;
    struct batch_product product = {.r = s->slot[slot_product].mem,
                                    .u = y.mem,
                                    .u_at = y.at,
                                    .u_step = y.step,
                                    .v = op->moduli.known,
                                    .v_at = p->first * barrett_known_step(p),
                                    .v_step = barrett_known_step(p),
                                    .v_is_one = op->moduli.is_one,
                                    .count = p->count,
                                    .words = op->words,
                                    .result_words = 2 * op->words,
                                    .from = op->words > FRACTION_WORDS ? op->words - FRACTION_WORDS
                                                                       : 0};
    enum gpu_status status = batch_multiply(s, &product);
    *q = (struct barrett_numbers){product.r, op->words, 2 * op->words};
    product.r = s->slot[slot_by_m].mem;
    product.u = q->mem;
    product.u_at = q->at;
    product.u_step = q->step;
    product.v = op->moduli.m;
    product.v_at = p->first * barrett_m_step(p);
    product.v_step = barrett_m_step(p);
    product.result_words = op->words;
    product.from = 0;
    return status == GPU_OK ? batch_multiply(s, &product) : status;
}

enum gpu_status barrett_reduce(struct context *s, const struct barrett_piece *p,
                               const struct barrett_step *step) {
    const bool has_product = step->hi.mem.h || !p->b->is_normal;
    struct barrett_numbers y, q = {.step = 0}, by_m = step->lo;
    enum gpu_status status = GPU_OK;
    if (has_product) {
        status = shift(s, p, step, &y);
        if (status == GPU_OK)
            status = estimate(s, p, y, &q);
        by_m = (struct barrett_numbers){s->slot[slot_by_m].mem, 0, words_of(p)};
    }
    if (status == GPU_OK)
        status = resolve(s, p, BARRETT_STEP, step, by_m, has_product);
    return status == GPU_OK ? check(s, p, step, q) : status;
}

enum gpu_status barrett_multiply(struct context *s, const struct barrett_piece *p,
                                 struct barrett_numbers u, struct barrett_numbers v,
                                 struct barrett_step step) {
    const uint32_t words = words_of(p);
    const struct batch_product product = {.r = s->slot[slot_x].mem,
                                          .u = u.mem,
                                          .u_at = u.at,
                                          .u_step = u.step,
                                          .v = v.mem,
                                          .v_at = v.at,
                                          .v_step = v.step,
                                          .count = p->count,
                                          .words = words,
                                          .result_words = 2 * words};
    enum gpu_status status = batch_multiply(s, &product);
    step.hi = (struct barrett_numbers){product.r, words, 2 * words};
    step.lo = (struct barrett_numbers){product.r, 0, 2 * words};
    step.of = BARRETT_OF_PRODUCT;
    return status == GPU_OK ? barrett_reduce(s, p, &step) : status;
}

enum gpu_status barrett_sum(struct context *s, const struct barrett_piece *p, uint32_t kind,
                            const struct barrett_step *step) {
    const struct barrett_numbers q = {.step = 0};
    enum gpu_status status = resolve(s, p, kind, step, step->lo, false);
    return status == GPU_OK ? check(s, p, step, q) : status;
}

enum gpu_status barrett_unit(struct context *s, const struct barrett_piece *p, gpu_mem r,
                             uint64_t r_at, uint32_t to) {
    const struct barrett_step step = {
        .r = r, .r_at = r_at, .of = BARRETT_OF_UNIT, .a = to, .b = to, .to = to};
    const struct barrett_numbers q = {.step = 0};
    const uint32_t words = words_of(p);
    enum gpu_status status =
        launch_barrett_one(s, launch_row(ceil_div(p->count * words, BATCH_THREADS)), r, r_at,
                           p->b->op.moduli.known, barrett_known_step(p), p->first, p->count, words);
    return status == GPU_OK ? check(s, p, &step, q) : status;
}
