/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes modular batches (many numbers of one length) by Barrett's reduction. If the intermediate
 * results of all numbers exceed barrett_piece_bytes, computes the batch in pieces. */
#include "lib/modular/barrett.h"

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/modular/barrett_power.h"
#include "lib/modular/barrett_step.h"
#include "lib/multiply/batch.h"
#include "lib/transfer/transfer.h"

enum { ROW_M, ROW_U, ROW_V, ROW_R, ROWS };
/* A number of a piece (some numbers of a batch) needs WORDS_EACH times `words` words of memory. */
enum { WORDS_EACH = 7 };

_Static_assert((uint32_t)BARRETT_MOST_WORDS <= (uint32_t)BATCH_MOST_WORDS, "there are products");

/* ---- functions that find operands above their moduli, and reduce them */

static enum gpu_status look(struct context *s, const struct barrett_operation *b, gpu_mem found,
                            struct barrett_numbers x) {
    const struct modular_operation *op = &b->op;
    return launch_barrett_look(s, launch_row(ceil_div(op->count, BATCH_THREADS)), found, x.mem,
                               x.at, x.step, op->moduli.m, op->moduli.is_one ? 0 : op->words,
                               op->count, op->words);
}

/* Returns a list of the parts of an operand's numbers that must be below their moduli before a
 * reduction step: the highest `words` words of each number, where `words` is the length of a
 * modulus. Only the numbers that MODULAR_KIND_REDUCE reduces can be longer than that. */
static struct barrett_numbers operand(const struct barrett_operation *b, gpu_mem mem,
                                      uint64_t first) {
    const uint32_t step = b->op.kind == MODULAR_KIND_REDUCE ? b->op.u_words : b->op.words;
    return (struct barrett_numbers){mem, first * step + (step - b->op.words), step};
}

static bool has_second(const struct barrett_operation *b) {
    return b->op.kind != MODULAR_KIND_REDUCE && b->op.v.h != b->op.u.h;
}

/* Sets *are_large to true if some number of an operand is not below its modulus. The operands must
 * then be reduced first. */
static enum gpu_status look_at_operands(struct context *s, const struct barrett_operation *b,
                                        bool *are_large) {
    gpu_mem found;
    uint32_t count = 0;
    enum gpu_status status = context_buffer(s, SLOT_FLAGS, sizeof(uint64_t), &found);
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, found, 0, sizeof count);
    if (status == GPU_OK)
        status = look(s, b, found, operand(b, b->op.u, 0));
    if (status == GPU_OK && has_second(b))
        status = look(s, b, found, operand(b, b->op.v, 0));
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, &count, found, 0, sizeof count);
    *are_large = count > 0;
    return status;
}

/* Stores the residues of an operand's numbers in row `row` of the buffer of residues. If are_large,
 * reduces the numbers into the buffer `slot`, and sets *x to that buffer. */
static enum gpu_status fetch(struct context *s, const struct barrett_piece *p, bool are_large,
                             enum context_slot slot, uint32_t row, struct barrett_numbers *x) {
    enum gpu_status status = barrett_residues(s, p, row, *x);
    if (status != GPU_OK || !are_large)
        return status;
    const struct barrett_step step = {
        .lo = *x, .r = s->slot[slot].mem, .of = BARRETT_OF_ONE, .a = row, .b = row, .to = row};
    *x = (struct barrett_numbers){step.r, 0, p->b->op.words};
    return barrett_reduce(s, p, &step);
}

/* ---- operations */

static enum gpu_status reduce(struct context *s, const struct barrett_piece *p, bool are_large,
                              struct barrett_step step) {
    const struct modular_operation *op = &p->b->op;
    const bool is_pair = op->u_words > op->words;
    enum gpu_status status = GPU_OK;
    if (is_pair) {
        step.hi = operand(p->b, op->u, p->first);
        status = fetch(s, p, are_large, SLOT_R, ROW_U, &step.hi);
    }
    step.lo = (struct barrett_numbers){op->u, p->first * op->u_words, op->u_words};
    step.of = is_pair ? BARRETT_OF_PAIR : BARRETT_OF_ONE;
    step.a = is_pair ? ROW_U : ROW_V;
    if (status == GPU_OK)
        status = barrett_residues(s, p, ROW_V, step.lo);
    return status == GPU_OK ? barrett_reduce(s, p, &step) : status;
}

static enum gpu_status combine(struct context *s, const struct barrett_piece *p, bool are_large,
                               struct barrett_step step) {
    const struct modular_operation *op = &p->b->op;
    struct barrett_numbers u = operand(p->b, op->u, p->first), v = operand(p->b, op->v, p->first);
    enum gpu_status status = fetch(s, p, are_large, SLOT_R, ROW_U, &u);
    if (has_second(p->b)) {
        if (status == GPU_OK)
            status = fetch(s, p, are_large, SLOT_ADDEND, ROW_V, &v);
    } else {
        v = u;
        step.b = ROW_U;
    }
    if (status != GPU_OK)
        return status;
    if (op->kind == MODULAR_KIND_MUL)
        return barrett_multiply(s, p, u, v, step);
    step.hi = u;
    step.lo = v;
    step.of = op->kind == MODULAR_KIND_ADD ? BARRETT_OF_SUM : BARRETT_OF_DIFFERENCE;
    return barrett_sum(s, p, op->kind == MODULAR_KIND_ADD ? BARRETT_ADD : BARRETT_SUB, &step);
}

static enum gpu_status perform(struct context *s, const struct barrett_piece *p, bool are_large) {
    const struct barrett_step step = {.r = p->b->op.r,
                                      .r_at = p->first * p->b->op.words,
                                      .a = ROW_U,
                                      .b = ROW_V,
                                      .to = ROW_R,
                                      .is_last = true};
    enum gpu_status status = barrett_residues_of_m(s, p);
    if (status != GPU_OK)
        return status;
    return p->b->op.kind == MODULAR_KIND_REDUCE ? reduce(s, p, are_large, step)
                                                : combine(s, p, are_large, step);
}

/* ---- memory */

static enum gpu_status prepare(struct context *s, const struct barrett_piece *p, bool are_large) {
    const uint64_t bytes = p->count * p->b->op.words * sizeof(uint32_t);
    gpu_mem unused;
    enum gpu_status status = barrett_step_prepare(s, p, ROWS);
    if (status == GPU_OK && are_large)
        status = context_buffer(s, SLOT_R, bytes, &unused);
    return status == GPU_OK && are_large ? context_buffer(s, SLOT_ADDEND, bytes, &unused) : status;
}

static enum gpu_status perform_all(struct context *s, const struct barrett_operation *b,
                                   bool are_large) {
    const uint64_t most =
        barrett_piece_bytes / (WORDS_EACH * (uint64_t)b->op.words * sizeof(uint32_t));
    struct barrett_piece p = {
        .b = b, .count = min_u64(b->op.count, most ? most : 1), .row_of_m = ROW_M};
    enum gpu_status status = prepare(s, &p, are_large);
    while (status == GPU_OK && p.first < b->op.count) {
        p.count = min_u64(p.count, b->op.count - p.first);
        status = perform(s, &p, are_large);
        p.first += p.count;
    }
    return status == GPU_OK ? barrett_end(s) : status;
}

enum gpu_status barrett_operate(struct context *s, const struct barrett_operation *b) {
    const bool is_short =
        /* one step reduces any number of the modulus's length, so numbers above the modulus are
         * allowed */
        b->op.kind == MODULAR_KIND_REDUCE && b->op.u_words == b->op.words;
    bool are_large = false;
    if (b->op.kind == MODULAR_KIND_POW || b->op.kind == MODULAR_KIND_POW_SECURE)
        return barrett_power(s, b);
    enum gpu_status status = is_short ? GPU_OK : look_at_operands(s, b, &are_large);
    return status == GPU_OK ? perform_all(s, b, are_large) : status;
}
