/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels of long jumps (kernels/modular/long_jump.cl), and the products between them.
 */
#include "lib/modular/euclid_long.h"

#include <stdlib.h>

#include "kernels/batch/batch.h"
#include "kernels/modular/euclid.h"
#include "kernels/modular/long_jump.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/device/tables.h"
#include "lib/modular/euclid_newton.h"
#include "lib/transfer/transfer.h"

_Static_assert(LONG_JUMP_WORDS % BATCH_CHECK_SPAN == 0 && LONG_JUMP_STEPS % 32 == 0,
               "whole spans and words");

/* Buffers of the context, and what they contain for each number. f and g are the numbers whose gcd
 * is computed. A jump is a group of division steps. w is the count of words of an entry in the
 * matrix of the longest jump. */
static const enum context_slot
    slot_x =
        /* f and g, for inverses also two cofactors; all are as long as the modulus, and their
         * highest words follow after all numbers */
    SLOT_EXPRESSION,
    slot_next = SLOT_EXPRESSION + 1,    /* f, g and cofactors after a jump */
    slot_product = SLOT_EXPRESSION + 2, /* products */
    slot_matrix =
        /* the matrix of a jump, four entries of w words; then the matrices of the shorter jumps of
         * which it consists */
    SLOT_EXPRESSION + 3,
    /* the lowest words of f and g after the first half of a jump, on which the second half depends
     */
    slot_low = SLOT_EXPRESSION + 4,
    /* the modulus m; -1/m and 1/m modulo 2^(32 w); two multiples of m; a sum of w words */
    slot_modulus = SLOT_EXPRESSION + 5,
    /* LONG_JUMP_INFO words for each number (kernels/modular/long_jump.h); then counts of the
     * lengths of f and g over all numbers */
    slot_info = SLOT_EXPRESSION + 6, slot_deltas = SLOT_EXPRESSION + 7;

/* A piece of a long operation: `count` numbers, which begin with number `own` of the piece *p.
 * `step` is the space for a number in slot_x, and n the current length of f and g, both in words. x
 * is the buffer with the current f and g: slot_x or slot_next. */
struct work {
    struct context *s;
    const struct euclid_piece *p;
    uint64_t own, count;
    uint32_t step, n, w, steps;
    enum context_slot x;
    bool is_inverse, is_tracked;
};

/* Pairs of numbers x and y in device memory; all y follow after all x. A number has `blocks` blocks
 * of w words, and begins x_step words after the previous one. `above` is an argument of the kernel
 * long_jump_sum: how a number continues above these words. */
struct pairs {
    gpu_mem x;
    uint64_t x_at, tops_at;
    uint32_t x_step, blocks, above;
};

static gpu_mem mem(const struct work *k, enum context_slot slot) {
    return k->s->slot[slot].mem;
}

static const struct euclid_operation *op_of(const struct work *k) {
    return k->p->op;
}

static unsigned planes(const struct work *k) {
    return k->is_inverse ? 4 : 2;
}

/* Returns the word of slot_x and slot_next at which the numbers' highest, signed words begin. */
static uint64_t tops_at(const struct work *k) {
    return planes(k) * k->count * k->step;
}

/* Return the word of slot_modulus at which the numbers of one kind begin. minus_at: -1/m for each
 * modulus m; plus_at: 1/m; q_at: the multiples of m; sum_at: the sums. */
static uint64_t minus_at(const struct work *k) {
    return k->count * k->step;
}
static uint64_t plus_at(const struct work *k) {
    return minus_at(k) + k->count * k->w;
}
static uint64_t q_at(const struct work *k) {
    return plus_at(k) + k->count * k->w;
}
static uint64_t sum_at(const struct work *k) {
    return q_at(k) + 2 * k->count * k->w;
}

/* Returns the word of slot_matrix at which matrices with entries of w words begin: those of the
 * first or second half of a jump. The matrix of a whole jump of f and g begins at word 0. */
static uint64_t matrix_at(const struct work *k, uint32_t w, bool is_second) {
    return k->count * (4 * k->w + 8 * (w - LONG_JUMP_WORDS) + (is_second ? 4 * w : 0));
}

/* ---- lengths */

uint32_t euclid_long_entry(uint32_t words) {
    uint32_t w = LONG_JUMP_WORDS;
    while (words >= 2 * w * EUCLID_LONG_BLOCKS)
        w *= 2;
    return w;
}

/* Returns the words of the buffer of products for each number. n: the words of f, g and the
 * cofactors; w: the words of a matrix's entry. */
static uint64_t product_words(uint32_t n, uint32_t w, bool is_inverse) {
    const uint64_t of_numbers = (is_inverse ? 6 : 4) * (uint64_t)n, of_matrices = 8 * (uint64_t)w;
    return of_numbers > of_matrices ? of_numbers : of_matrices;
}

static uint64_t words_each(const struct work *k) {
    const uint64_t n = k->step, w = k->w;
    return 2 * planes(k) * n + product_words(k->step, k->w, k->is_inverse) + 14 * w +
           (k->is_inverse ? n + 5 * w : 0);
}

static enum gpu_status buffer(const struct work *k, enum context_slot slot, uint64_t words) {
    gpu_mem unused;
    return context_buffer(k->s, slot, words * sizeof(uint32_t), &unused);
}

static enum gpu_status allocate(const struct work *k) {
    const uint64_t c = k->count;
    const struct {
        enum context_slot slot;
        uint64_t words;
    } buffers[] = {{slot_x, tops_at(k) + 4 * c},
                   {slot_next, tops_at(k) + 4 * c},
                   {slot_product, c * product_words(k->step, k->w, k->is_inverse)},
                   {slot_matrix, matrix_at(k, k->w, false)},
                   {slot_low, 2 * c * k->w},
                   {slot_modulus, k->is_inverse ? sum_at(k) + c * k->w : 1},
                   {slot_info, LONG_JUMP_INFO * c + 2 + k->step / LONG_JUMP_WORDS},
                   {slot_deltas, c}};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers && status == GPU_OK; i++)
        status = buffer(k, buffers[i].slot, buffers[i].words);
    return status;
}

/* ---- products and sums */

/* Returns the size of a launch with one work-item for each of `items` items. */
static struct launch_groups groups_of(uint64_t items) {
    return launch_row(ceil_div(items, BATCH_THREADS));
}

/* Queues the products of matrix entries by blocks of w words of x and y. The kernel long_jump_sum
 * then adds the products; each sum has `terms` of them. Computes the results `first` to first +
 * parts - 1: the rows of the matrix times x and y. If is_matrix, x and y are the columns of another
 * matrix. */
static enum gpu_status multiply(const struct work *k, uint64_t at, uint32_t w, struct pairs x,
                                uint32_t first, uint32_t parts, bool is_matrix, uint32_t terms) {
    const uint32_t columns = is_matrix ? 2 : 1;
    const uint64_t step = 2 * k->count * w;
    enum gpu_status status = GPU_OK;
    for (uint32_t i = 0; i < parts * x.blocks * columns && status == GPU_OK; i++) {
        const uint32_t z = i % columns, block = i / columns, j = block % x.blocks,
                       part = first + block / x.blocks;
        const struct batch_product product = {
            .r = mem(k, slot_product),
            .r_at = (block * terms + z) * step,
            .u = mem(k, slot_matrix),
            .u_at = at + (2 * (part / columns) + z) * k->count * w,
            .v = x.x,
            .v_at = x.x_at + j * w + (part % columns + columns * z) * k->count * x.x_step,
            .v_step = x.x_step,
            .count = is_matrix ? k->count : 2 * k->count,
            .words = w};
        status = euclid_newton_multiply(k->s, BATCH_PRODUCT, product);
    }
    return status;
}

/* Where the kernel long_jump_sum stores a sum: it stores words `skip` to skip + stored - 1 of the
 * sum. */
struct sum {
    gpu_mem r;
    uint64_t r_at, tops_at;
    uint32_t r_step, skip, stored;
    bool is_above, has_multiple;
};

/* Queues the sums of the products that `multiply` has queued. */
static enum gpu_status add(const struct work *k, struct sum r, uint64_t at, uint32_t w,
                           struct pairs x, uint32_t first, uint32_t parts, bool is_matrix) {
    const uint32_t n = x.blocks * w, end = r.skip + r.stored + (r.is_above ? LONG_JUMP_WORDS : 0);
    const uint32_t spans = (uint32_t)ceil_div(end, BATCH_SPAN),
                   each = spans < BATCH_THREADS ? BATCH_THREADS / spans : 1,
                   tiles = (uint32_t)ceil_div(spans, BATCH_THREADS);
    const gpu_mem modulus = mem(k, slot_modulus);
    return launch_long_jump_sum(
        k->s, launch_row(ceil_div(k->count * parts, each)), r.r, r.r_at, r.r_step, r.skip, r.stored,
        r.r, r.tops_at, r.is_above, mem(k, slot_product), mem(k, slot_matrix), at, x.x, x.x_at,
        x.x_step, x.x, x.tops_at, x.above, modulus, q_at(k) + first * k->count * w, modulus,
        k->step, r.has_multiple, k->count, first, parts, is_matrix ? 2 : 1, w, n, spans, each,
        tiles);
}

/* ---- matrices of long jumps */

static enum gpu_status leaf(const struct work *k, uint64_t at, struct pairs x) {
    const unsigned numbers = EUCLID_THREADS_OF(LONG_JUMP_DIGITS) / LONG_JUMP_TEAM;
    const struct launch_groups groups =
        launch_row(k->s->dev.caps.simd ? k->count : ceil_div(k->count, numbers));
    return launch_long_jump_leaf(k->s, LONG_JUMP_DIGITS, groups, mem(k, slot_matrix), at,
                                 mem(k, slot_deltas), x.x, x.x_at, x.x_step, k->count,
                                 LONG_JUMP_TEAM);
}

static enum gpu_status matrices(const struct work *k, uint64_t at, uint32_t w, struct pairs x);

/* Queues both halves of a jump that depends on 2 w words. The first half's matrix is applied to the
 * lowest words of f and g, on which the second half depends. */
static enum gpu_status halves(const struct work *k, uint32_t w, struct pairs x) {
    const uint64_t at = matrix_at(k, w, false);
    const struct pairs low = {
        .x = mem(k, slot_low), .x_at = 2 * k->count * (w - LONG_JUMP_WORDS), .x_step = w};
    const struct sum to_low = {
        .r = low.x, .r_at = low.x_at, .r_step = w, .skip = LONG_JUMP_SHIFT(w), .stored = w};
    x.blocks = 2;
    enum gpu_status status = matrices(k, at, w, x);
    if (status == GPU_OK)
        status = multiply(k, at, w, x, 0, 2, false, 2);
    if (status == GPU_OK)
        status = add(k, to_low, at, w, x, 0, 2, false);
    return status == GPU_OK ? matrices(k, matrix_at(k, w, true), w, low) : status;
}

/* Queues the computation of the matrices of jumps from the lowest w words of x and y. The matrices'
 * entries have w words. The matrices begin at word `at` of slot_matrix. */
static enum gpu_status matrices(const struct work *k, uint64_t at, uint32_t w, struct pairs x) {
    const uint32_t h = w / 2;
    if (w == LONG_JUMP_WORDS)
        return leaf(k, at, x);
    const struct pairs first = {.x = mem(k, slot_matrix),
                                .x_at = matrix_at(k, h, false),
                                .x_step = h,
                                .blocks = 1,
                                .above = LONG_JUMP_SIGNED};
    const struct sum to_matrix = {.r = mem(k, slot_matrix), .r_at = at, .r_step = w, .stored = w};
    enum gpu_status status = halves(k, h, x);
    if (status == GPU_OK)
        status = multiply(k, matrix_at(k, h, true), h, first, 0, 4, true, 2);
    return status == GPU_OK ? add(k, to_matrix, matrix_at(k, h, true), h, first, 0, 4, true)
                            : status;
}

/* ---- jumps of f, g and cofactors */

static enum context_slot other(const struct work *k) {
    return k->x == slot_x ? slot_next : slot_x;
}

/* Returns the pair f and g, or the pair of their cofactors if is_cofactor. The numbers have n
 * words, in blocks of w words. */
static struct pairs pairs_of(const struct work *k, bool is_cofactor, uint32_t n, uint32_t w) {
    const uint64_t plane = is_cofactor ? 2 : 0;
    return (struct pairs){.x = mem(k, k->x),
                          .x_at = plane * k->count * k->step,
                          .tops_at = tops_at(k) + plane * k->count,
                          .x_step = k->step,
                          .blocks = n / w,
                          .above = LONG_JUMP_TOPS};
}

static struct sum sum_of(const struct work *k, struct pairs x, uint32_t row, uint32_t w) {
    return (struct sum){.r = mem(k, other(k)),
                        .r_at = x.x_at + row * k->count * k->step,
                        .tops_at = x.tops_at + row * k->count,
                        .r_step = k->step,
                        .skip = LONG_JUMP_SHIFT(w),
                        .stored = x.blocks * w,
                        .is_above = true};
}

static enum gpu_status apply(const struct work *k, uint32_t w) {
    const struct pairs x = pairs_of(k, false, k->n, w);
    enum gpu_status status = GPU_OK;
    for (uint32_t row = 0; row < 2 && status == GPU_OK; row++) {
        status = multiply(k, 0, w, x, row, 1, false, 2);
        if (status == GPU_OK)
            status = add(k, sum_of(k, x, row, w), 0, w, x, row, 1, false);
    }
    return status;
}

/* Queues the computation of multiples q of the moduli m, for row `row` of a jump's matrix times the
 * cofactors. q is the lowest words of this sum times -1/m. So adding q m to the sum makes its
 * lowest LONG_JUMP_SHIFT(w) words zero. */
static enum gpu_status find_multiple(const struct work *k, struct pairs x, uint32_t row) {
    const uint32_t from = LONG_JUMP_SHIFT(k->w);
    const gpu_mem m = mem(k, slot_modulus);
    const struct sum lowest = {.r = m, .r_at = sum_at(k), .r_step = k->w, .stored = k->w};
    const struct batch_product by_inverse = {.r = m,
                                             .r_at = q_at(k) + row * k->count * k->w,
                                             .u = m,
                                             .u_at = sum_at(k),
                                             .v = m,
                                             .v_at = minus_at(k),
                                             .count = k->count,
                                             .words = k->w};
    /* only the first block changes the lowest words */
    x.blocks = 1;
    x.above = LONG_JUMP_CUT;
    enum gpu_status status = add(k, lowest, 0, k->w, x, row, 1, false);
    if (status == GPU_OK)
        status = euclid_newton_multiply(k->s, BATCH_LOW, by_inverse);
    if (status != GPU_OK)
        return status;
    return launch_long_jump_trim(k->s, groups_of(k->count * (k->w - from)), m, by_inverse.r_at,
                                 k->count, k->w, from);
}

/* Queues the products q m for a row of a jump's matrix, where q is the multiple of the modulus m
 * that find_multiple has computed. */
static enum gpu_status multiply_modulus(const struct work *k, uint32_t row) {
    const gpu_mem m = mem(k, slot_modulus);
    enum gpu_status status = GPU_OK;
    for (uint32_t j = 0; j < k->step / k->w && status == GPU_OK; j++) {
        const struct batch_product product = {.r = mem(k, slot_product),
                                              .r_at = (3 * j + 2) * 2 * k->count * k->w,
                                              .u = m,
                                              .u_at = q_at(k) + row * k->count * k->w,
                                              .v = m,
                                              .v_at = j * k->w,
                                              .v_step = k->step,
                                              .count = k->count,
                                              .words = k->w};
        status = euclid_newton_multiply(k->s, BATCH_PRODUCT, product);
    }
    return status;
}

/* Queues the multiplication of the cofactors by the matrix of a jump (a group of division steps),
 * modulo the moduli. Only the first `rows` of the two cofactors are computed. */
static enum gpu_status apply_to_cofactors(const struct work *k, uint32_t rows) {
    const struct pairs x = pairs_of(k, true, k->step, k->w);
    enum gpu_status status = GPU_OK;
    for (uint32_t row = 0; row < rows && status == GPU_OK; row++) {
        struct sum r = sum_of(k, x, row, k->w);
        r.has_multiple = true;
        status = multiply(k, 0, k->w, x, row, 1, false, 3);
        if (status == GPU_OK)
            status = find_multiple(k, x, row);
        if (status == GPU_OK)
            status = multiply_modulus(k, row);
        if (status == GPU_OK)
            status = add(k, r, 0, k->w, x, row, 1, false);
    }
    return status;
}

static enum gpu_status track(const struct work *k, uint32_t w, uint32_t has) {
    const uint32_t items =
                       w / BATCH_CHECK_SPAN < BATCH_THREADS ? w / BATCH_CHECK_SPAN : BATCH_THREADS,
                   each = BATCH_THREADS / items;
    if (!k->is_tracked)
        return GPU_OK;
    return launch_long_jump_record(
        k->s, launch_row(ceil_div(k->count, each)), k->p->record, k->own * EUCLID_RECORD,
        mem(k, slot_matrix), 0, mem(k, k->is_inverse ? slot_modulus : slot_matrix),
        k->is_inverse ? q_at(k) : 0, has, k->count, w, w / LONG_JUMP_WORDS * LONG_JUMP_STEPS, items,
        each, mem(k, SLOT_TABLES), tables_residue_at());
}

/* Queues a jump (a group of division steps), and stores data of the jump for the check. For
 * inverses all jumps depend on w words, because 1/m is known modulo 2^(32 w). For gcds, jumps
 * become shorter with f and g. */
static enum gpu_status jump(struct work *k) {
    const uint32_t w = k->is_inverse ? k->w : (uint32_t)min_u64(k->w, euclid_long_entry(k->n));
    k->n = (uint32_t)ceil_div(k->n, w) * w;
    enum gpu_status status = matrices(k, 0, w, pairs_of(k, false, k->n, w));
    if (status == GPU_OK)
        status = apply(k, w);
    if (status == GPU_OK && k->is_inverse)
        status = apply_to_cofactors(k, 2);
    if (status == GPU_OK)
        status = track(k, w, LONG_JUMP_HAS_MATRIX | (k->is_inverse ? LONG_JUMP_HAS_MULTIPLES : 0));
    k->x = other(k);
    k->steps += w / LONG_JUMP_WORDS * LONG_JUMP_STEPS;
    return status;
}

/* Sets k->n to the words of the longest f or g, and *is_done to true if each g is 0. */
static enum gpu_status look(struct work *k, bool *is_done) {
    const uint32_t words = 2 + k->n / LONG_JUMP_WORDS;
    const uint64_t at = LONG_JUMP_INFO * k->count;
    const gpu_mem found = mem(k, slot_info);
    uint32_t *counts = malloc(words * sizeof *counts), last = words - 1;
    enum gpu_status status =
        counts ? gpu_zero(&k->s->queue, found, at * sizeof *counts, words * sizeof *counts)
               : GPU_NOMEM;
    if (status == GPU_OK)
        status = launch_long_jump_look(k->s, groups_of(k->count), found, at, mem(k, k->x), k->step,
                                       tops_at(k), k->count, k->n);
    if (status == GPU_OK)
        status = transfer_down(k->s->transfer, &k->s->queue, counts, found, at * sizeof *counts,
                               words * sizeof *counts);
    while (status == GPU_OK && last > 2 && counts[last] == 0)
        last--;
    *is_done = status == GPU_OK && counts[0] == 0;
    if (!*is_done)
        k->n = (last - 1) * LONG_JUMP_WORDS;
    free(counts);
    return status;
}

/* ---- pieces */

/* Queues the inverses of the moduli modulo 2^(32 k->w), by Newton's method. */
static enum gpu_status invert_moduli(const struct work *k) {
    const gpu_mem m = mem(k, slot_modulus), product = mem(k, slot_product);
    enum gpu_status status = gpu_zero(&k->s->queue, m, plus_at(k) * sizeof(uint32_t),
                                      k->count * k->w * sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_long_jump_invert(k->s, groups_of(k->count), m, minus_at(k), m, plus_at(k),
                                         m, k->step, k->count, k->w);
    for (uint32_t w = LONG_JUMP_WORDS; w < k->w && status == GPU_OK; w *= 2) {
        /* y is the inverse of the modulus m modulo B^w (B = 2^32): m y = 1 + h B^w for an integer
         * h. So y - y h B^w is the inverse modulo B^(2w). */
        const struct batch_product by_y = {.r = product,
                                           .r_at = k->count * w,
                                           .u = m,
                                           .u_step = k->step,
                                           .v = m,
                                           .v_at = plus_at(k),
                                           .v_step = k->w,
                                           .count = k->count,
                                           .words = 2 * w};
        const struct batch_product by_h = {.r = product,
                                           .u = m,
                                           .u_at = minus_at(k),
                                           .u_step = k->w,
                                           .v = product,
                                           .v_at = by_y.r_at + w,
                                           .v_step = 2 * w,
                                           .count = k->count,
                                           .words = w};
        status = euclid_newton_multiply(k->s, BATCH_LOW, by_y);
        if (status == GPU_OK)
            status = euclid_newton_multiply(k->s, BATCH_LOW, by_h);
        if (status == GPU_OK)
            status = launch_long_jump_extend(k->s, groups_of(k->count * w), m, minus_at(k), m,
                                             plus_at(k), product, k->count, w, k->w);
    }
    return status;
}

static enum gpu_status begin(const struct work *k) {
    const struct euclid_operation *op = op_of(k);
    const uint64_t first = k->p->first + k->own, v_step = euclid_v_step(op);
    const gpu_mem x = mem(k, slot_x), info = mem(k, slot_info);
    enum gpu_status status =
        launch_long_jump_begin(k->s, groups_of(k->count), info, mem(k, slot_deltas), x, tops_at(k),
                               k->p->record, k->own * EUCLID_RECORD, op->u, first * op->words,
                               op->v, first * v_step, v_step, k->count, op->words, !k->is_inverse);
    if (status == GPU_OK)
        status = launch_long_jump_load(k->s, groups_of(ceil_div(k->count * k->step, BATCH_SPAN)), x,
                                       mem(k, slot_modulus), info, op->u, first * op->words, op->v,
                                       first * v_step, v_step, k->count, op->words, k->step,
                                       LONG_JUMP_SHIFT(k->w), !k->is_inverse);
    return status == GPU_OK && k->is_inverse ? invert_moduli(k) : status;
}

/* Queues the results: |f| is the gcd without the power of 2 that both operands contain. Multiplies
 * it by this power, and stores it in r from number `first`. */
static enum gpu_status store(const struct work *k, gpu_mem r, uint64_t first) {
    const uint32_t words = op_of(k)->words;
    return launch_long_jump_store(k->s, groups_of(ceil_div(k->count * words, BATCH_SPAN)), r,
                                  first * words, k->p->record, k->own * EUCLID_RECORD, mem(k, k->x),
                                  k->step, tops_at(k), mem(k, slot_info), k->count, words, k->n);
}

/* Queues the inverses. The initial cofactors were multiplied by a power of 2^32, so first divides
 * f's cofactor by this power. */
static enum gpu_status end_inverses(struct work *k) {
    const struct euclid_operation *op = op_of(k);
    const gpu_mem info = mem(k, slot_info), m = mem(k, slot_modulus), f = mem(k, k->x);
    const uint32_t spans = k->step / BATCH_SPAN,
                   each = spans < BATCH_THREADS ? BATCH_THREADS / spans : 1;
    enum gpu_status status = store(k, k->p->extra, k->own);
    if (status == GPU_OK)
        status = launch_long_jump_identity(k->s, groups_of(4 * k->count * k->w),
                                           mem(k, slot_matrix), 0, k->count, k->w);
    if (status == GPU_OK)
        status = apply_to_cofactors(k, 1);
    if (status == GPU_OK)
        status = track(k, k->w, LONG_JUMP_HAS_MULTIPLES);
    if (status == GPU_OK)
        status = launch_long_jump_end(k->s, groups_of(k->count), op->flags, k->p->first + k->own,
                                      k->p->record, k->own * EUCLID_RECORD, info, f, k->step,
                                      tops_at(k), mem(k, other(k)), m, k->step, k->count, k->n,
                                      mem(k, SLOT_TABLES), tables_residue_at());
    if (status != GPU_OK)
        return status;
    return launch_long_jump_inverse(k->s, launch_row(ceil_div(k->count, each)), k->p->inverse,
                                    (k->p->inverse_first + k->own) * op->words, mem(k, other(k)),
                                    2 * k->count * k->step, tops_at(k) + 2 * k->count, m, info,
                                    k->count, op->words, k->step, each,
                                    (uint32_t)ceil_div(spans, BATCH_THREADS));
}

/* Computes one piece. Jumps until all g are 0; (49 d + 80) / 17 division steps suffice for numbers
 * of d bits. */
static enum gpu_status piece(struct work k) {
    const uint64_t most = ceil_div(49 * 32 * (uint64_t)op_of(&k)->words + 80, 17);
    bool is_done = false;
    enum gpu_status status = allocate(&k);
    if (status == GPU_OK)
        status = begin(&k);
    if (status == GPU_OK)
        status = look(&k, &is_done);
    while (status == GPU_OK && !is_done && k.steps < most) {
        status = jump(&k);
        if (status == GPU_OK)
            status = look(&k, &is_done);
    }
    if (status != GPU_OK)
        return status;
    return k.is_inverse ? end_inverses(&k) : store(&k, op_of(&k)->r, k.p->first + k.own);
}

enum gpu_status euclid_long(struct context *s, const struct euclid_piece *p, bool is_tracked) {
    const uint32_t w = euclid_long_entry(p->op->words);
    struct work k = {.s = s,
                     .p = p,
                     .step = (uint32_t)ceil_div(p->op->words, w) * w,
                     .w = w,
                     .x = slot_x,
                     .is_inverse = p->op->kind == EUCLID_INVERSE,
                     .is_tracked = is_tracked};
    const uint64_t each = words_each(&k) * sizeof(uint32_t),
                   most = EUCLID_LONG_PIECES * euclid_piece_bytes / each;
    enum gpu_status status = GPU_OK;
    k.n = k.step;
    for (uint64_t i = 0; i < p->count && status == GPU_OK; i += k.count) {
        k.own = i;
        k.count = min_u64(most ? most : 1, p->count - i);
        status = piece(k);
    }
    return status;
}
