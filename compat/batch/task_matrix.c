/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products of matrices that exceed the device's memory. A piece is a block of rows of the
 * first factor times a block of columns of the second one. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/task.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/memory/wipe.h"

/* A product that is computed in pieces of `rows` rows and `columns` columns. */
struct blocks {
    const struct batch_task *all;
    uint64_t rows, columns;
    mpgpu_batch u, v, r; /* the pieces of the factors and of the result */
    mp_limb_t *rp,
        *some; /* rp: the result; some: a block of columns of the second factor or of the result */
};

static uint64_t size_of(const struct blocks *b, unsigned which) {
    return b->all->parameter[which];
}

static void forget(struct blocks *b) {
    batch_free(&b->u.store);
    batch_free(&b->v.store);
    batch_free(&b->r.store);
}

/* Copies `columns` columns, beginning with column `first`, from a matrix to a block if to_block,
 * otherwise from the block to the matrix. The matrix has `rows` rows of `width` entries. An entry
 * has n limbs. */
static void copy(mp_limb_t *block, mp_limb_t *matrix, size_t n, uint64_t rows, uint64_t width,
                 uint64_t first, uint64_t columns, bool to_block) {
    const size_t bytes = columns * n * sizeof *block;
    for (uint64_t i = 0; i < rows; i++, block += columns * n) {
        mp_limb_t *at = matrix + (i * width + first) * n;
        memcpy(to_block ? block : at, to_block ? at : block, bytes);
    }
}

static enum outcome upload(mpgpu_batch *b, size_t count, size_t n, const mp_limb_t *from) {
    b->count = count;
    b->n = n;
    b->where = BATCH_ON_DEVICE;
    enum outcome outcome = batch_reserve(&b->store, batch_size(b) * sizeof *from);
    return outcome == OUTCOME_DONE && from
               ? batch_fill_part(&b->store, 0, from, batch_size(b) * sizeof *from)
               : outcome;
}

/* Uploads `columns` columns of the second factor from column `first` on. */
static enum outcome upload_columns(struct blocks *b, uint64_t first, uint64_t columns) {
    const mpgpu_batch *v = b->all->u[1];
    const uint64_t inner = size_of(b, JOB_INNER);
    copy(b->some, v->limbs, v->n, inner, size_of(b, JOB_COLUMNS), first, columns, true);
    return upload(&b->v, inner * columns, v->n, b->some);
}

/* Computes `columns` columns, from column `column`, of rows `row` to `row` + `rows` - 1 of the
 * result. These columns of the second factor must be on the device. */
static enum outcome compute(struct blocks *b, uint64_t row, uint64_t rows, uint64_t column,
                            uint64_t columns) {
    const mpgpu_batch *u = b->all->u[0], *r = b->all->r[0];
    const uint64_t inner = size_of(b, JOB_INNER), width = size_of(b, JOB_COLUMNS);
    struct batch_task part = *b->all;
    enum outcome outcome = upload(&b->u, rows * inner, u->n, u->limbs + row * inner * u->n);
    if (outcome == OUTCOME_DONE)
        outcome = upload(&b->r, rows * columns, r->n, NULL);
    part.u[0] = &b->u, part.u[1] = &b->v, part.r[0] = &b->r;
    part.parameter[JOB_ROWS] = rows;
    part.parameter[JOB_COLUMNS] = columns;
    if (outcome == OUTCOME_DONE)
        outcome = batch_task_compute(&part, &b->r.store.mem,
                                     (const gpu_mem[]){b->u.store.mem, b->v.store.mem});
    if (outcome == OUTCOME_DONE)
        outcome = batch_fetch(b->some, &b->r.store, batch_size(&b->r) * sizeof *b->some);
    if (outcome == OUTCOME_DONE)
        copy(b->some, b->rp + row * width * r->n, r->n, rows, width, column, columns, false);
    return outcome;
}

static enum outcome compute_all(struct blocks *b) {
    const uint64_t rows = size_of(b, JOB_ROWS), columns = size_of(b, JOB_COLUMNS);
    enum outcome outcome = OUTCOME_DONE;
    for (uint64_t j = 0; j < columns && outcome == OUTCOME_DONE; j += b->columns) {
        const uint64_t across = min_u64(b->columns, columns - j);
        outcome = upload_columns(b, j, across);
        for (uint64_t i = 0; i < rows && outcome == OUTCOME_DONE; i += b->rows)
            outcome = compute(b, i, min_u64(b->rows, rows - i), j, across);
    }
    return outcome;
}

/* Computes the product in blocks. Makes the blocks smaller until they fit in device memory. */
static enum outcome compute_in_blocks(struct blocks *b) {
    enum outcome outcome = OUTCOME_MEMORY;
    while (outcome == OUTCOME_MEMORY && (b->rows > 1 || b->columns > 1)) {
        if (b->rows >= b->columns)
            b->rows = (b->rows + 1) / 2;
        else
            b->columns = (b->columns + 1) / 2;
        outcome = compute_all(b);
        forget(b);
    }
    return outcome;
}

enum outcome batch_task_matrix_in_pieces(const struct batch_task *t) {
    struct blocks b = {
        .all = t, .rows = t->parameter[JOB_ROWS], .columns = t->parameter[JOB_COLUMNS]};
    const size_t v_size = batch_size(t->u[1]), r_size = batch_size(t->r[0]);
    const size_t bytes = (v_size > r_size ? v_size : r_size) * sizeof *b.some;
    b.some = malloc(bytes);
    b.rp = malloc(r_size * sizeof *b.rp);
    enum outcome outcome = b.some && b.rp ? compute_in_blocks(&b) : OUTCOME_MEMORY;
    mpgpu_log(LOG_DETAIL, "a product of matrices in blocks of %zu rows and %zu columns",
              (size_t)b.rows, (size_t)b.columns);
    wipe_free(b.some, bytes);
    if (outcome == OUTCOME_DONE)
        batch_is_on_host(t->r[0], b.rp);
    else
        wipe_free(b.rp, r_size * sizeof *b.rp);
    return outcome;
}
