/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels of products of matrices of integers. */
#include "lib/matrix/matrix.h"

#include <stdlib.h>

#include "kernels/matrix/matrix.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix_long.h"
#include "lib/matrix/matrix_plan.h"
#include "lib/transfer/transfer.h"

/* How a program computes products of residues: its launches; the rows and columns of a tile of the
 * product; the bytes of a residue; and the number of entries that a work-group converts. Lines of
 * residues are padded to a multiple of this number. */
struct way {
    enum gpu_program program;
    enum gpu_status (*convert)(struct context *s, struct launch_groups groups, gpu_mem out,
                               gpu_mem entries, uint64_t first, uint64_t line_step,
                               uint64_t inner_step, uint32_t lines, uint32_t inner, uint32_t padded,
                               uint32_t words, gpu_mem table, uint32_t primes, uint64_t powers_at);
    enum gpu_status (*multiply)(struct context *s, struct launch_groups groups, gpu_mem out,
                                gpu_mem a, gpu_mem b, uint32_t rows, uint32_t columns,
                                uint32_t padded, uint32_t tile_rows, uint32_t tile_columns,
                                gpu_mem table, uint32_t adds);
    uint32_t tile_rows, tile_columns, bytes, entries;
};

static const struct way ways[] = {
    {GPU_PROGRAM_matrix_groups, launch_matrix_split, launch_matrix_groups, MATRIX_GROUPS_ROWS,
     MATRIX_GROUPS_COLUMNS, MATRIX_KINDS, MATRIX_BLOCK},
    {GPU_PROGRAM_matrix_units, launch_matrix_residues, launch_matrix_units, MATRIX_UNITS_ROWS,
     MATRIX_UNITS_COLUMNS, sizeof(uint16_t), MATRIX_ENTRIES},
    {GPU_PROGRAM_matrix_product, launch_matrix_residues, launch_matrix_product, MATRIX_TILE,
     MATRIX_TILE, sizeof(uint16_t), MATRIX_ENTRIES},
};

/* A product that is being computed. The residues of a block of `rows` rows of A and of a block of
 * `columns` columns of B are on the device at the same time. */
struct run {
    struct context *s;
    const struct matrix_operation *op;
    const struct way *way;
    struct matrix_plan plan;
    /* An entry of the product is a sum of `inner` terms. span: the most terms that one launch sums;
     * padded: this number, rounded up to what the kernel loads at once */
    uint32_t span, padded;
    uint64_t rows, columns;
    gpu_mem table, a, b, y;
};

static const struct way *way_of(const struct context *s) {
    if (!s->dev.caps.matrix_units || conf_job().algorithm != ALGORITHM_AUTO)
        return &ways[2];
    return &ways[s->dev.caps.matrix_groups ? 0 : 1];
}

enum gpu_program matrix_program(const struct context *s) {
    return way_of(s)->program;
}

/* ---- memory */

static uint64_t bytes_of_lines(const struct run *r, uint64_t lines) {
    return lines * r->padded * r->plan.padded * r->way->bytes;
}

static uint64_t bytes_of_result(const struct run *r) {
    return r->rows * r->columns * r->plan.primes * sizeof(uint16_t);
}

static enum gpu_status alloc_blocks(struct run *r) {
    enum gpu_status status = context_buffer(r->s, SLOT_WORK, bytes_of_lines(r, r->rows), &r->a);
    if (status == GPU_OK)
        status = context_buffer(r->s, SLOT_WINDOW, bytes_of_lines(r, r->columns), &r->b);
    return status == GPU_OK ? context_buffer(r->s, SLOT_PART, bytes_of_result(r), &r->y) : status;
}

static void set_span(struct run *r, uint64_t span) {
    r->span = (uint32_t)span;
    r->padded = (uint32_t)ceil_div(span, r->way->entries) * r->way->entries;
}

/* Halves the larger one of the block of rows and the block of columns. If both have only one line,
 * halves the terms that a launch sums. Returns false if there are too few terms to halve: one
 * work-group converts them all. */
static bool halve(struct run *r) {
    uint64_t *larger = r->rows >= r->columns ? &r->rows : &r->columns;
    if (*larger > 1)
        *larger = ceil_div(*larger, 2);
    else if (r->span > r->way->entries)
        set_span(r, ceil_div(r->span, 2));
    else
        return false;
    return true;
}

/* Halves the blocks of rows and of columns until each buffer of residues has at most an eighth of
 * the device's memory, and can be allocated. */
static enum gpu_status alloc(struct run *r) {
    const struct gpu_caps *caps = &r->s->dev.caps;
    const uint64_t most = min_u64(caps->max_alloc, caps->memory_bytes / 8) >> r->s->tight;
    enum gpu_status status = GPU_NOMEM;
    r->rows = r->op->rows;
    r->columns = r->op->columns;
    do {
        const bool fits = bytes_of_lines(r, r->rows) <= most &&
                          bytes_of_lines(r, r->columns) <= most && bytes_of_result(r) <= most;
        status = fits ? alloc_blocks(r) : GPU_NOMEM;
    } while (status == GPU_NOMEM && halve(r));
    return status;
}

static enum gpu_status put_table(struct run *r) {
    const size_t bytes = r->plan.words * sizeof *r->plan.table;
    enum gpu_status status = context_buffer(r->s, SLOT_KEPT, bytes, &r->table);
    return status == GPU_OK
               ? transfer_up(r->s->transfer, &r->s->queue, r->table, 0, r->plan.table, bytes)
               : status;
}

/* ---- launches */

static struct launch_groups groups_of_lines(const struct run *r, uint64_t lines) {
    return launch_row(lines * (r->padded / r->way->entries));
}

/* A block of rows or columns: `count` of them, beginning with number `first`. */
struct block {
    uint64_t first, count;
};

/* Returns how many terms of an entry, from term `from`, one launch sums. */
static uint32_t terms_of(const struct run *r, uint64_t from) {
    return (uint32_t)min_u64(r->span, r->op->inner - from);
}

static enum gpu_status convert_rows(const struct run *r, struct block rows, uint64_t from) {
    const struct matrix_operation *op = r->op;
    return r->way->convert(r->s, groups_of_lines(r, rows.count), r->a, op->a,
                           rows.first * op->inner + from, op->inner, 1, (uint32_t)rows.count,
                           terms_of(r, from), r->padded, op->a_words, r->table, r->plan.padded,
                           r->plan.a_powers_at);
}

static enum gpu_status convert_columns(const struct run *r, struct block columns, uint64_t from) {
    const struct matrix_operation *op = r->op;
    return r->way->convert(r->s, groups_of_lines(r, columns.count), r->b, op->b,
                           from * op->columns + columns.first, 1, op->columns,
                           (uint32_t)columns.count, terms_of(r, from), r->padded, op->b_words,
                           r->table, r->plan.padded, r->plan.b_powers_at);
}

static enum gpu_status multiply(const struct run *r, uint64_t rows, uint64_t columns, bool adds) {
    const uint32_t tile_rows = (uint32_t)ceil_div(rows, r->way->tile_rows);
    const uint32_t tile_columns = (uint32_t)ceil_div(columns, r->way->tile_columns);
    return r->way->multiply(r->s, launch_grid((uint64_t)tile_rows * tile_columns, r->plan.primes),
                            r->y, r->a, r->b, (uint32_t)rows, (uint32_t)columns, r->padded,
                            tile_rows, tile_columns, r->table, adds);
}

static enum gpu_status restore(const struct run *r, struct block rows, struct block columns) {
    const struct matrix_operation *op = r->op;
    const uint64_t count = rows.count * columns.count;
    return launch_matrix_restore(r->s, launch_row(ceil_div(count, MATRIX_ENTRIES)), op->r, r->y,
                                 count, rows.first * op->columns + columns.first,
                                 (uint32_t)columns.count, op->columns, op->r_words, r->table,
                                 r->plan.primes, r->plan.weights_at, r->plan.width);
}

/* Computes the entries of the result for a block of rows and a block of columns. has_rows,
 * has_columns: their residues are already computed, and are reused if one launch sums all terms. */
static enum gpu_status compute_block(const struct run *r, struct block rows, struct block columns,
                                     bool has_rows, bool has_columns) {
    const bool is_one = r->op->inner <= r->span;
    enum gpu_status status = GPU_OK;
    for (uint64_t from = 0; from < r->op->inner && status == GPU_OK; from += r->span) {
        if (!(is_one && has_columns))
            status = convert_columns(r, columns, from);
        if (status == GPU_OK && !(is_one && has_rows))
            status = convert_rows(r, rows, from);
        if (status == GPU_OK)
            status = multiply(r, rows.count, columns.count, from > 0);
    }
    return status == GPU_OK ? restore(r, rows, columns) : status;
}

static enum gpu_status compute_blocks(const struct run *r) {
    const struct matrix_operation *op = r->op;
    enum gpu_status status = GPU_OK;
    for (uint64_t j = 0; j < op->columns && status == GPU_OK; j += r->columns)
        for (uint64_t i = 0; i < op->rows && status == GPU_OK; i += r->rows)
            status = compute_block(r, (struct block){i, min_u64(r->rows, op->rows - i)},
                                   (struct block){j, min_u64(r->columns, op->columns - j)},
                                   j > 0 && r->rows >= op->rows, i > 0);
    return status;
}

static enum gpu_status compute(struct run *r) {
    enum gpu_status status = put_table(r);
    if (status == GPU_OK)
        status = alloc(r);
    return status == GPU_OK ? compute_blocks(r) : status;
}

enum gpu_status matrix_compute(struct context *s, const struct matrix_operation *op) {
    struct run r = {.s = s, .op = op, .way = way_of(s)};
    set_span(&r, min_u64(op->inner, MATRIX_MOST_INNER));
    if (matrix_is_long(op))
        return matrix_long_compute(s, op);
    if (!matrix_plan_init(&r.plan, op, r.way->convert == launch_matrix_split))
        return GPU_NOMEM;
    enum gpu_status status = compute(&r);
    free(r.plan.table);
    return status;
}

enum gpu_status matrix_operate(struct context *s, const struct matrix_operation *op) {
    const bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    enum gpu_status status = is_checked ? matrix_check_prepare(s, op) : GPU_OK;
    if (status == GPU_OK)
        status = matrix_compute(s, op);
    if (status != GPU_OK || !is_checked)
        return status == GPU_OK ? gpu_finish(&s->queue) : status;
    status = verdict_begin(s);
    if (status == GPU_OK)
        status = kept_result(s, op->r, 0, op->rows * op->columns * op->r_words);
    if (status == GPU_OK)
        status = matrix_check(s, op);
    return status == GPU_OK ? verdict_end(s) : status;
}
