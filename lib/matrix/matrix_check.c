/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that check products of matrices by random vectors. */
#include <stdlib.h>

#include "kernels/check/residue.h"
#include "lib/base/ceil_div.h"
#include "lib/base/random.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix.h"
#include "lib/transfer/transfer.h"

/* A matrix in device memory, and memory for the residues of its entries. */
struct checked {
    gpu_mem entries, residues;
    uint64_t rows, columns;
    uint32_t words;
};

/* Returns how many work-items compute an entry's residue: a power of 2, at most RESIDUE_THREADS. Up
 * to this limit, each reads at most eight vectors of RESIDUE_VECTOR words. */
static uint32_t items_of(uint32_t words) {
    uint32_t items = 1;
    while (items < RESIDUE_THREADS && 8 * RESIDUE_VECTOR * items < words)
        items *= 2;
    return items;
}

/* Queues y = M x / 2^64, for the matrix M of *c. */
static enum gpu_status apply(struct context *s, const struct checked *c, gpu_mem y, gpu_mem x) {
    const uint64_t count = c->rows * c->columns;
    const uint32_t items = items_of(c->words);
    const struct launch_groups entries = launch_row(ceil_div(count, RESIDUE_THREADS / items));
    const struct launch_groups rows = launch_row(c->rows);
    enum gpu_status status = launch_matrix_check_entries(
        s, entries, verdict_mem(s), verdict_pass(s, entries.x), c->residues, c->entries, count,
        c->words, items, s->modulus.m - modulus_residue_of_power(c->words, s->modulus),
        s->slot[SLOT_TABLES].mem, tables_residue_at());
    return status == GPU_OK
               ? launch_matrix_check_apply(s, rows, verdict_mem(s), verdict_pass(s, rows.x), y,
                                           c->residues, x, c->columns, s->slot[SLOT_TABLES].mem,
                                           tables_residue_at())
               : status;
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

/* Buffers of a check, which the product does not use: the vector x; B x and R x; A B x; residues of
 * the entries. */
struct buffers {
    gpu_mem x, by_b, by_r, by_a, residues;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static enum gpu_status alloc(struct context *s, const struct matrix_operation *op,
                             struct buffers *b) {
    const uint64_t entries =
        larger(op->rows * op->columns, op->inner * larger(op->rows, op->columns));
    const struct {
        enum context_slot slot;
        uint64_t count;
        gpu_mem *mem;
    } all[] = {{SLOT_V, entries, &b->residues},
               {SLOT_U, op->columns, &b->x},
               {SLOT_ADDEND, op->inner, &b->by_b},
               {SLOT_FACTOR_0, op->rows, &b->by_r},
               {SLOT_FACTOR_1, op->rows, &b->by_a}};
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    for (unsigned i = 0; i < sizeof all / sizeof *all && status == GPU_OK; i++)
        status = context_buffer(s, all[i].slot, all[i].count * sizeof(uint64_t), all[i].mem);
    return status;
}

enum gpu_status matrix_check_prepare(struct context *s, const struct matrix_operation *op) {
    struct buffers unused;
    return alloc(s, op, &unused);
}

enum gpu_status matrix_check(struct context *s, const struct matrix_operation *op) {
    struct buffers b;
    enum gpu_status status = alloc(s, op, &b);
    if (status == GPU_OK)
        status = put_random(s, b.x, op->columns);
    const struct checked of_b = {op->b, b.residues, op->inner, op->columns, op->b_words},
                         of_r = {op->r, b.residues, op->rows, op->columns, op->r_words},
                         of_a = {op->a, b.residues, op->rows, op->inner, op->a_words};
    if (status == GPU_OK)
        status = apply(s, &of_b, b.by_b, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_r, b.by_r, b.x);
    if (status == GPU_OK)
        status = apply(s, &of_a, b.by_a, b.by_b);
    const uint64_t groups = ceil_div(op->rows, RESIDUE_THREADS);
    return status == GPU_OK
               ? launch_matrix_check_compare(s, launch_row(groups), verdict_mem(s),
                                             verdict_pass(s, groups), b.by_a, b.by_r, op->rows,
                                             s->slot[SLOT_TABLES].mem, tables_residue_at())
               : status;
}
