/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches transforms and the kernels of products of matrices with long entries. */
#include "lib/matrix/matrix_long.h"

#include "kernels/matrix/matrix.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/ntt_passes.h"

/* One factor, whose entries are numbers of `words` + 2 words in an array of `stride` words each.
 * `lines` lines are on the device at a time; a line has `inner` entries. */
struct factor {
    gpu_mem entries, wide, sums;
    uint64_t lines, line_step, inner_step;
    uint32_t words, stride;
    struct ntt_row transforms;
    bool is_reversed; /* the transforms of a line are in reversed order */
};

struct run {
    struct context *s;
    const struct matrix_operation *op;
    struct ntt_length length;
    struct factor a, b;
    struct ntt_row work;
    gpu_mem c;
    uint32_t c_words, c_stride;
};

/* ---- lengths */

/* Returns an estimate of the time of a transform, in levels of one digit on an H200: a launch takes
 * as long as LAUNCH of them. */
static uint64_t cost_of(const struct ntt_length *l) {
    enum { LAUNCH = 2000000 };
    uint64_t cost = 0;
    for (unsigned i = 0; i < l->rings; i++)
        cost +=
            l->ring[i].passes * (uint64_t)LAUNCH + ntt_ring_digits(&l->ring[i]) * l->ring[i].log_m;
    return cost;
}

/* Returns the fastest length for the operation's products. matrix_takes must accept it. */
static struct ntt_length choose_length(const struct matrix_operation *op) {
    struct ntt_length best = {.rings = 0};
    for (unsigned log_n = NTT_MIN_LOG; MATRIX_MOST_DIGITS >> log_n; log_n++)
        for (unsigned below = 0; below <= NTT_MAX_BELOW; below++) {
            struct ntt_length l;
            if (ntt_length_init(&l, log_n, below) && ntt_length_digits(&l) >= matrix_digits(op) &&
                (best.rings == 0 || cost_of(&l) < cost_of(&best)))
                best = l;
        }
    return best;
}

struct ntt_plan matrix_long_plan(const struct matrix_operation *op) {
    return (struct ntt_plan){.length = choose_length(op), .parts = 2};
}

/* ---- memory */

static enum gpu_status alloc_factor(const struct run *r, struct factor *f, enum context_slot wide,
                                    enum context_slot transforms) {
    const uint64_t numbers = f->lines * r->op->inner;
    enum gpu_status status =
        context_buffer(r->s, wide, numbers * f->stride * sizeof(uint32_t), &f->wide);
    if (status == GPU_OK)
        status = context_buffer(r->s, wide + 1, f->lines * f->stride * sizeof(uint64_t), &f->sums);
    return status == GPU_OK ? ntt_row_in_slot(r->s, &r->length, transforms, numbers, &f->transforms)
                            : status;
}

static enum gpu_status alloc_blocks(struct run *r) {
    const uint64_t products = r->a.lines * r->b.lines;
    enum gpu_status status = alloc_factor(r, &r->a, SLOT_EXPRESSION, SLOT_KEPT);
    if (status == GPU_OK)
        status = alloc_factor(r, &r->b, SLOT_EXPRESSION + 2, SLOT_WINDOW);
    return status == GPU_OK
               ? context_buffer(r->s, SLOT_PART, products * r->c_stride * sizeof(uint32_t), &r->c)
               : status;
}

static uint64_t bytes_of(const struct run *r, const struct factor *f) {
    return f->lines * r->op->inner * (ntt_transform_words(&r->length) + f->stride) *
           sizeof(uint32_t);
}

/* Halves the larger block of lines. Returns false if both are one line. */
static bool halve(struct run *r) {
    uint64_t *larger = bytes_of(r, &r->a) >= bytes_of(r, &r->b) ? &r->a.lines : &r->b.lines;
    if (*larger == 1)
        larger = larger == &r->a.lines ? &r->b.lines : &r->a.lines;
    if (*larger == 1)
        return false;
    *larger = ceil_div(*larger, 2);
    return true;
}

static enum gpu_status alloc(struct run *r) {
    const struct gpu_caps *caps = &r->s->dev.caps;
    const uint64_t most = min_u64(caps->max_alloc, caps->memory_bytes / 4) >> r->s->tight;
    enum gpu_status status;
    gpu_mem unused;
    do {
        const bool fits = bytes_of(r, &r->a) <= most && bytes_of(r, &r->b) <= most &&
                          r->a.lines * r->b.lines * r->c_stride * sizeof(uint32_t) <= most;
        status = fits ? alloc_blocks(r) : GPU_NOMEM;
    } while (status == GPU_NOMEM && halve(r));
    if (status == GPU_OK)
        status = tables_get(r->s, &unused);
    return status == GPU_OK ? ntt_row_in_slot(r->s, &r->length, SLOT_WORK, 1, &r->work) : status;
}

/* ---- steps */

/* Queues the transforms of `count` lines from line `first` on. */
static enum gpu_status transform(const struct run *r, const struct factor *f, uint64_t first,
                                 uint64_t count) {
    const uint64_t inner = r->op->inner, words = count * inner * f->stride;
    const uint64_t sums = count * f->stride;
    enum gpu_status status =
        launch_matrix_widen(r->s, launch_row(ceil_div(words, MATRIX_THREADS)), f->wide, f->entries,
                            first * f->line_step, f->line_step, f->inner_step, (uint32_t)inner,
                            f->words, f->stride, words);
    if (status == GPU_OK)
        status = launch_matrix_sums(r->s, launch_row(ceil_div(sums, MATRIX_THREADS)), f->sums,
                                    f->wide, (uint32_t)inner, f->stride, sums);
    for (uint64_t i = 0; i < count * inner && status == GPU_OK; i++) {
        const struct number x = {f->wide, i * f->stride, f->words + 2};
        const uint64_t index = f->is_reversed ? i + inner - 1 - 2 * (i % inner) : i;
        status = ntt_forward(r->s, &r->length, f->transforms, index, x);
    }
    return status;
}

/* Queues the products of `rows` lines of A by `columns` lines of B. */
static enum gpu_status multiply(const struct run *r, uint64_t rows, uint64_t columns) {
    const uint64_t inner = r->op->inner;
    enum gpu_status status = GPU_OK;
    for (uint64_t e = 0; e < rows * columns && status == GPU_OK; e++) {
        const uint64_t first = e / columns * inner;
        struct ntt_sum sum = {.kept = r->a.transforms,
                              .window = {r->b.transforms.mem, inner},
                              .k = first + inner - 1,
                              .first = first,
                              .window_first = e % columns * inner,
                              .count = (unsigned)inner};
        status = ntt_pointwise_sum(r->s, &r->length, r->work, &sum);
        if (status == GPU_OK)
            status = ntt_inverse(r->s, &r->length, r->work,
                                 (struct number){r->c, e * r->c_stride, r->c_words});
    }
    return status;
}

static enum gpu_status correct(const struct run *r, uint64_t row, uint64_t rows, uint64_t column,
                               uint64_t columns) {
    const struct matrix_operation *op = r->op;
    return launch_matrix_correct(r->s, launch_row(rows * columns), op->r, r->c, r->a.sums,
                                 r->b.sums, row * op->columns + column, op->columns,
                                 (uint32_t)columns, (uint32_t)op->inner, op->a_words, op->b_words,
                                 r->a.stride, r->b.stride, r->c_words, r->c_stride, op->r_words);
}

static enum gpu_status compute_columns(const struct run *r, uint64_t column, uint64_t columns) {
    enum gpu_status status = transform(r, &r->b, column, columns);
    for (uint64_t row = 0; row < r->op->rows && status == GPU_OK; row += r->a.lines) {
        const uint64_t rows = min_u64(r->a.lines, r->op->rows - row);
        if (column == 0 || r->a.lines < r->op->rows)
            status = transform(r, &r->a, row, rows);
        if (status == GPU_OK)
            status = multiply(r, rows, columns);
        if (status == GPU_OK)
            status = correct(r, row, rows, column, columns);
    }
    return status;
}

static uint32_t stride_of(uint32_t words) {
    return (uint32_t)ceil_div(words, 4) * 4;
}

enum gpu_status matrix_long_compute(struct context *s, const struct matrix_operation *op) {
    const uint32_t c_words = op->a_words + op->b_words + 4;
    struct run r = {.s = s,
                    .op = op,
                    .length = choose_length(op),
                    .a = {.entries = op->a,
                          .lines = op->rows,
                          .line_step = op->inner,
                          .inner_step = 1,
                          .words = op->a_words,
                          .stride = stride_of(op->a_words + 2)},
                    .b = {.entries = op->b,
                          .lines = op->columns,
                          .line_step = 1,
                          .inner_step = op->columns,
                          .words = op->b_words,
                          .stride = stride_of(op->b_words + 2),
                          .is_reversed = true},
                    .c_words = c_words,
                    .c_stride = stride_of(c_words)};
    enum gpu_status status = alloc(&r);
    for (uint64_t column = 0; column < op->columns && status == GPU_OK; column += r.b.lines)
        status = compute_columns(&r, column, min_u64(r.b.lines, op->columns - column));
    return status;
}
