/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that check products of matrices: they multiply both sides by a random vector
 * and compare. */
#include <stdlib.h>

#include "kernels/check/residue.h"
#include "lib/base/ceil_div.h"
#include "lib/base/random.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix.h"
#include "lib/matrix/matrix_system.h"
#include "lib/transfer/transfer.h"

/* A matrix in device memory, and memory for the residues of its entries. */
struct checked {
    gpu_mem entries, residues;
    uint64_t rows, columns;
    uint32_t words;
};

/* Returns how many work-items share the computation of an entry's residue: a power of 2, at most
 * RESIDUE_THREADS. Below this limit, each work-item reads at most eight vectors of RESIDUE_VECTOR
 * words. */
static uint32_t items_of(uint32_t words) {
    uint32_t items = 1;
    while (items < RESIDUE_THREADS && 8 * RESIDUE_VECTOR * items < words)
        items *= 2;
    return items;
}

/* Queues the computation of the residues of the first `count` numbers of *c. */
static enum gpu_status convert(struct context *s, const struct checked *c, uint64_t count) {
    const uint32_t items = items_of(c->words);
    const struct launch_groups groups = launch_row(ceil_div(count, RESIDUE_THREADS / items));
    return launch_matrix_check_entries(
        s, groups, verdict_mem(s), verdict_pass(s, groups.x), c->residues, c->entries, count,
        c->words, items, s->modulus.m - modulus_residue_of_power(c->words, s->modulus),
        s->slot[SLOT_TABLES].mem, tables_residue_at());
}

/* Queues y = M x / 2^64 modulo the check's modulus, where M is the matrix of *c. Also computes the
 * residues of `more` numbers that follow the matrix in memory. */
static enum gpu_status apply(struct context *s, const struct checked *c, uint64_t more, gpu_mem y,
                             gpu_mem x) {
    const struct launch_groups rows = launch_row(c->rows);
    enum gpu_status status = convert(s, c, c->rows * c->columns + more);
    return status == GPU_OK
               ? launch_matrix_check_apply(s, rows, verdict_mem(s), verdict_pass(s, rows.x), y,
                                           c->residues, x, c->columns, s->slot[SLOT_TABLES].mem,
                                           tables_residue_at())
               : status;
}

/* Queues the comparison of two vectors of `count` numbers. If `scale` is not NULL, first multiplies
 * the second vector by number scale_at of *scale. */
static enum gpu_status compare(struct context *s, gpu_mem by_factors, gpu_mem by_result,
                               uint64_t count, const gpu_mem *scale, uint64_t scale_at) {
    const struct launch_groups groups = launch_row(ceil_div(count, RESIDUE_THREADS));
    return launch_matrix_check_compare(s, groups, verdict_mem(s), verdict_pass(s, groups.x),
                                       by_factors, by_result, count, scale ? *scale : by_result,
                                       scale_at, scale != NULL, s->slot[SLOT_TABLES].mem,
                                       tables_residue_at());
}

/* Uploads a random vector of residues. */
static enum gpu_status put_random(struct context *s, gpu_mem to, uint64_t count) {
    uint64_t *x = malloc(count * sizeof *x);
    if (!x)
        return GPU_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        x[i] = random_word() % s->modulus.m;
    enum gpu_status status = transfer_up(s->transfer, &s->queue, to, 0, x, count * sizeof *x);
    free(x);
    return status;
}

/* Buffers of a check, which the operation itself does not use. x: the random vector. by_b, by_r,
 * by_a: for products, the vectors B x, R x and A (B x). residues: residues of a matrix's entries.
 * of_result: for systems of equations, residues of the numerators and the determinant. */
struct buffers {
    gpu_mem x, by_b, by_r, by_a, residues, of_result;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Allocates the buffers. `numbers` is the size of of_result; 0 if it is not needed. */
static enum gpu_status alloc(struct context *s, uint64_t rows, uint64_t inner, uint64_t columns,
                             uint64_t numbers, struct buffers *b) {
    const uint64_t entries = larger(rows * columns, inner * larger(rows, columns));
    const struct {
        enum context_slot slot;
        uint64_t count;
        gpu_mem *mem;
    } all[] = {{SLOT_V, entries, &b->residues}, {SLOT_U, columns, &b->x},
               {SLOT_ADDEND, inner, &b->by_b},  {SLOT_FACTOR_0, rows, &b->by_r},
               {SLOT_FACTOR_1, rows, &b->by_a}, {SLOT_EXPRESSION_LAST, numbers, &b->of_result}};
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    for (unsigned i = 0; i < sizeof all / sizeof *all && status == GPU_OK && all[i].count; i++)
        status = context_buffer(s, all[i].slot, all[i].count * sizeof(uint64_t), all[i].mem);
    return status;
}

enum gpu_status matrix_check_prepare(struct context *s, const struct matrix_operation *op) {
    struct buffers unused;
    return alloc(s, op->rows, op->inner, op->columns, 0, &unused);
}

enum gpu_status matrix_check(struct context *s, const struct matrix_operation *op) {
    struct buffers b;
    enum gpu_status status = alloc(s, op->rows, op->inner, op->columns, 0, &b);
    if (status == GPU_OK)
        status = put_random(s, b.x, op->columns);
    const struct checked of_b = {op->b, b.residues, op->inner, op->columns, op->b_words},
                         of_r = {op->r, b.residues, op->rows, op->columns, op->r_words},
                         of_a = {op->a, b.residues, op->rows, op->inner, op->a_words};
    if (status == GPU_OK)
        status = apply(s, &of_b, 0, b.by_b, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_r, 0, b.by_r, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_a, 0, b.by_a, b.by_b);
    return status == GPU_OK ? compare(s, b.by_a, b.by_r, op->rows, NULL, 0) : status;
}

/* ---- systems of linear equations */

static enum gpu_status alloc_for_system(struct context *s, const struct matrix_system *op,
                                        struct buffers *b) {
    return op->columns ? alloc(s, op->side, op->side, op->columns, op->side * op->columns + 1, b)
                       : GPU_OK;
}

enum gpu_status matrix_system_check_prepare(struct context *s, const struct matrix_system *op) {
    struct buffers unused;
    return alloc_for_system(s, op, &unused);
}

/* Checks that A (N x) = d (B x) for a random vector x, where N are the numerators and d is the
 * determinant. */
enum gpu_status matrix_system_check(struct context *s, const struct matrix_system *op) {
    const uint64_t numerators = op->side * op->columns;
    struct buffers b;
    enum gpu_status status = alloc_for_system(s, op, &b);
    if (status == GPU_OK)
        status = put_random(s, b.x, op->columns);
    const struct checked of_b = {op->b, b.residues, op->side, op->columns, op->b_words},
                         of_r = {op->r, b.of_result, op->side, op->columns, op->r_words},
                         of_a = {op->a, b.residues, op->side, op->side, op->a_words};
    if (status == GPU_OK)
        status = apply(s, &of_b, 0, b.by_b, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_r, 1, b.by_r, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_a, 0, b.by_a, b.by_r);
    return status == GPU_OK ? compare(s, b.by_a, b.by_b, op->side, &b.of_result, numerators)
                            : status;
}
