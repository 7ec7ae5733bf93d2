/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches transforms and the kernels of products of matrices with long entries.
 *
 * Bounds. An entry is a polynomial in 2^64, whose coefficients (digits) are unsigned except the
 * last one, which has a sign. Let k be `inner`, and d the number of digits of the shorter entries.
 * A coefficient of the result is a sum of at most k d products of two digits. At most 2 k of them
 * are negative: products by a last digit, each at least -2^127. So their sum is at least -k 2^128.
 * Adding (k + 1) 2^64 (2^64 - 1), which is more than k 2^128, makes all coefficients positive. All
 * are then at most (k (d + 1) + 2) (2^64 - 1)^2, which PRIMES_MAX_TERMS limits (matrix_takes). */
#include "lib/matrix/matrix_long.h"

#include "kernels/common/carry.h"
#include "kernels/matrix/matrix.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/multiply/ntt_passes.h"

/* A product that is being computed. The transforms of `rows` rows of A, of `columns` columns of B,
 * and of their products are on the device at the same time. */
struct run {
    struct context *s;
    const struct matrix_operation *op;
    struct ntt_length length;
    uint64_t rows, columns;
    struct ntt_row a, b, c;
    /* entries of the result, before carries between their chunks are resolved */
    struct ntt_sums sums;
};

/* Consecutive rows or columns. */
struct block {
    uint64_t first, count;
};

/* ---- lengths */

/* Returns an estimate of a product's time. The unit is one level of a transform of one digit on an
 * H200. A launch takes LAUNCH units, a product of two digits half a unit. Joining the results of
 * two transforms takes JOIN_LEVELS levels of the second one. */
static double cost_of(const struct ntt_length *l, const struct matrix_operation *op) {
    enum { LAUNCH = 2000000, JOIN_LEVELS = 3 };
    const double m = (double)op->rows, k = (double)op->inner, n = (double)op->columns;
    double cost = 0;
    for (unsigned i = 0; i < l->rings; i++)
        cost +=
            3.0 * l->ring[i].passes * LAUNCH +
            (double)ntt_ring_digits(&l->ring[i]) *
                ((m * k + k * n + m * n) * (l->ring[i].log_m + i * JOIN_LEVELS) + m * k * n / 2);
    return cost;
}

/* Returns the fastest length of transforms for the operation's products. matrix_takes must return
 * true for the operation. */
static struct ntt_length choose_length(const struct matrix_operation *op) {
    struct ntt_length best = {.rings = 0};
    for (unsigned log_n = NTT_MIN_LOG; MATRIX_MOST_DIGITS >> log_n; log_n++)
        for (unsigned below = 0; below <= NTT_MAX_BELOW; below++) {
            struct ntt_length l;
            if (ntt_length_init(&l, log_n, below) && ntt_length_digits(&l) >= matrix_digits(op) &&
                (best.rings == 0 || cost_of(&l, op) < cost_of(&best, op)))
                best = l;
        }
    return best;
}

struct ntt_plan matrix_long_plan(const struct matrix_operation *op) {
    return (struct ntt_plan){.length = choose_length(op), .parts = 2};
}

/* ---- memory */

/* Returns how many entries of the result one launch completes. */
static uint64_t entries_at_once(const struct run *r) {
    return min_u64(r->rows * r->columns, NTT_BATCH_MOST);
}

static enum gpu_status alloc_blocks(struct run *r) {
    const uint64_t inner = r->op->inner;
    enum gpu_status status = ntt_row_in_slot(r->s, &r->length, SLOT_KEPT, r->rows * inner, &r->a);
    if (status == GPU_OK)
        status = ntt_row_in_slot(r->s, &r->length, SLOT_WINDOW, inner * r->columns, &r->b);
    if (status == GPU_OK)
        status = ntt_row_in_slot(r->s, &r->length, SLOT_WORK, r->rows * r->columns, &r->c);
    return status == GPU_OK ? context_buffer(r->s, SLOT_PART,
                                             entries_at_once(r) * r->sums.stride * sizeof(uint32_t),
                                             &r->sums.mem)
                            : status;
}

/* Halves the larger one of the block of rows and the block of columns. Returns false if both have
 * only one line. */
static bool halve(struct run *r) {
    uint64_t *larger = r->rows >= r->columns ? &r->rows : &r->columns;
    if (*larger == 1)
        return false;
    *larger = ceil_div(*larger, 2);
    return true;
}

/* Returns true if no buffer of transforms is larger than `most` bytes. */
static bool fits(const struct run *r, uint64_t most) {
    const uint64_t transforms = most / (ntt_transform_words(&r->length) * sizeof(uint32_t));
    return r->rows * r->op->inner <= transforms && r->columns * r->op->inner <= transforms &&
           r->rows * r->columns <= transforms;
}

/* Halves the blocks of rows and of columns until each buffer of transforms has at most an eighth of
 * the device's memory, and can be allocated. */
static enum gpu_status alloc(struct run *r) {
    const struct gpu_caps *caps = &r->s->dev.caps;
    const uint64_t most = min_u64(caps->max_alloc, caps->memory_bytes / 8) >> r->s->tight;
    enum gpu_status status;
    gpu_mem unused;
    do
        status = fits(r, most) ? alloc_blocks(r) : GPU_NOMEM;
    while (status == GPU_NOMEM && halve(r));
    return status == GPU_OK ? tables_get(r->s, &unused) : status;
}

/* ---- steps */

static enum gpu_status transform_rows(struct run *r, struct block rows) {
    const struct matrix_operation *op = r->op;
    const struct ntt_block x = {.mem = op->a,
                                .at = rows.first * op->inner * op->a_words,
                                .words = op->a_words,
                                .columns = op->inner,
                                .width = (uint32_t)op->inner};
    r->a.count = rows.count * op->inner;
    return ntt_batch_forward(r->s, &r->length, r->a, &x);
}

static enum gpu_status transform_columns(struct run *r, struct block columns) {
    const struct matrix_operation *op = r->op;
    const struct ntt_block x = {.mem = op->b,
                                .at = columns.first * op->b_words,
                                .words = op->b_words,
                                .columns = op->columns,
                                .width = (uint32_t)columns.count};
    r->b.count = op->inner * columns.count;
    return ntt_batch_forward(r->s, &r->length, r->b, &x);
}

/* Queues the point-wise products of a block of rows by a block of columns. */
static enum gpu_status multiply(const struct run *r, uint64_t rows, uint64_t columns) {
    const uint64_t across = ceil_div(columns, MATRIX_POINTS_SIDE);
    const uint64_t tiles = ceil_div(rows, MATRIX_POINTS_SIDE) * across;
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < r->length.rings && status == GPU_OK; i++) {
        const uint64_t points = ntt_ring_digits(&r->length.ring[i]);
        status = launch_matrix_points(r->s, launch_grid(tiles * (points / MATRIX_POINTS), PRIMES),
                                      r->c.mem, ntt_batch_ring_at(&r->length, r->c.count, i),
                                      r->a.mem, ntt_batch_ring_at(&r->length, r->a.count, i),
                                      r->b.mem, ntt_batch_ring_at(&r->length, r->b.count, i),
                                      r->s->slot[SLOT_TABLES].mem, (uint32_t)rows,
                                      (uint32_t)r->op->inner, (uint32_t)columns, (uint32_t)points,
                                      (uint32_t)tiles, (uint32_t)across);
    }
    return status;
}

/* Queues the inverse transforms of a block of the result, and stores its entries. */
static enum gpu_status restore(const struct run *r, struct block rows, struct block columns) {
    const struct matrix_operation *op = r->op;
    const uint64_t chunks = ceil_div(op->r_words, CARRY_CHUNK_ABOVE);
    const uint64_t at = (rows.first * op->columns + columns.first) * op->r_words;
    enum gpu_status status = GPU_OK;
    for (uint64_t first = 0; first < r->c.count && status == GPU_OK; first += NTT_BATCH_MOST) {
        const unsigned count = (unsigned)min_u64(r->c.count - first, NTT_BATCH_MOST);
        status = ntt_batch_inverse(r->s, &r->length, r->c, first, count, &r->sums);
        if (status == GPU_OK)
            status = launch_matrix_carry(r->s, launch_grid(chunks, count), op->r, at, first,
                                         (uint32_t)columns.count, op->columns, op->r_words,
                                         r->sums.mem, r->sums.stride, r->s->slot[SLOT_FLAGS].mem);
    }
    return status;
}

static enum gpu_status compute_columns(struct run *r, struct block columns) {
    enum gpu_status status = transform_columns(r, columns);
    for (uint64_t row = 0; row < r->op->rows && status == GPU_OK; row += r->rows) {
        const struct block rows = {row, min_u64(r->rows, r->op->rows - row)};
        if (columns.first == 0 || r->rows < r->op->rows)
            status = transform_rows(r, rows);
        r->c.count = rows.count * columns.count;
        if (status == GPU_OK)
            status = multiply(r, rows.count, columns.count);
        if (status == GPU_OK)
            status = restore(r, rows, columns);
    }
    return status;
}

enum gpu_status matrix_long_compute_by(struct context *s, const struct matrix_operation *op,
                                       const struct ntt_length *length) {
    struct run r = {.s = s,
                    .op = op,
                    .length = *length,
                    .rows = op->rows,
                    .columns = op->columns,
                    .sums = {.words = op->r_words,
                             .stride = ceil_div(op->r_words, 4) * 4,
                             .offset = (uint32_t)op->inner + 1}};
    enum gpu_status status = alloc(&r);
    for (uint64_t column = 0; column < op->columns && status == GPU_OK; column += r.columns)
        status =
            compute_columns(&r, (struct block){column, min_u64(r.columns, op->columns - column)});
    return status;
}

enum gpu_status matrix_long_compute(struct context *s, const struct matrix_operation *op) {
    const struct ntt_length length = choose_length(op);
    return matrix_long_compute_by(s, op, &length);
}
