/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Matrices of integers (include/mpgpu.h): creation and products. */
#include "compat/matrix/matrix.h"

#include <stdlib.h>

#include "compat/batch/task.h"

EXPORT mpgpu_matrix *mpgpu_matrix_create(size_t rows, size_t columns) {
    if (rows > INT32_MAX || columns > INT32_MAX) {
        batch_fail_sizes(MPGPU_ARGUMENTS,
                         "a matrix of %zu x %zu entries: the most rows or columns are %zu", rows,
                         columns, INT32_MAX, 0);
        return NULL;
    }
    mpgpu_matrix *m = calloc(1, sizeof *m);
    if (!m) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    m->rows = rows;
    m->columns = columns;
    return m;
}

EXPORT void mpgpu_matrix_destroy(mpgpu_matrix *m) {
    if (m)
        mpgpu_batch_destroy(m->entries);
    free(m);
}

EXPORT size_t mpgpu_matrix_rows(const mpgpu_matrix *m) {
    return m ? m->rows : 0;
}

EXPORT size_t mpgpu_matrix_columns(const mpgpu_matrix *m) {
    return m ? m->columns : 0;
}

EXPORT size_t mpgpu_matrix_bits_most(const mpgpu_matrix *m) {
    return m ? m->bits : 0;
}

EXPORT size_t mpgpu_matrix_limbs(const mpgpu_matrix *m) {
    return !m ? 0 : m->entries ? m->entries->n : 1;
}

EXPORT int mpgpu_matrix_on_device(const mpgpu_matrix *m) {
    return m && mpgpu_batch_on_device(m->entries);
}

void matrix_replace(mpgpu_matrix *m, mpgpu_batch *entries, uint64_t bits) {
    mpgpu_batch_destroy(m->entries);
    m->entries = entries;
    m->bits = entries ? bits : 0;
}

/* ---- products */

static unsigned log_above(size_t x) {
    unsigned log = 0;
    while (x > (size_t)1 << log)
        log++;
    return log;
}

static int multiply(mpgpu_matrix *r, mpgpu_matrix *u, mpgpu_matrix *v) {
    const uint64_t bits = u->bits + v->bits + log_above(u->columns);
    mpgpu_batch *entries = mpgpu_batch_create(r->rows * r->columns, job_entry_limbs(bits));
    const int error = entries
                          ? batch_task_perform(&(struct batch_task){
                                .op = JOB_matrix_mul,
                                .operands = 2,
                                .results = 1,
                                .u = {u->entries, v->entries},
                                .r = {entries},
                                .parameter = {u->rows, u->columns, v->columns, u->bits, v->bits}})
                          : MPGPU_NO_MEMORY;
    if (error)
        mpgpu_batch_destroy(entries);
    else
        matrix_replace(r, entries, bits);
    return error;
}

EXPORT int mpgpu_matrix_mul(mpgpu_matrix *r, mpgpu_matrix *u, mpgpu_matrix *v) {
    if (!r || !u || !v)
        return batch_fail(MPGPU_ARGUMENTS);
    if (u->columns != v->rows)
        return batch_fail_sizes(MPGPU_ARGUMENTS,
                                "a matrix of %zu x %zu entries times one of %zu x %zu", u->rows,
                                u->columns, v->rows, v->columns);
    if (r->rows != u->rows || r->columns != v->columns)
        return batch_fail_sizes(MPGPU_ARGUMENTS,
                                "a matrix of %zu x %zu entries for a product of %zu x %zu", r->rows,
                                r->columns, u->rows, v->columns);
    if (u->entries && v->entries)
        return multiply(r, u, v);
    matrix_replace(r, NULL, 0);
    return 0;
}
