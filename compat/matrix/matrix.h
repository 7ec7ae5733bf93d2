/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Matrices of integers (include/mpgpu.h): the structure, and functions private to compat/matrix. */
#ifndef MPGPU_COMPAT_MATRIX_H
#define MPGPU_COMPAT_MATRIX_H

#include "compat/batch/batch.h"

/* `entries` are the matrix's numbers in two's complement, row by row, or NULL if all are 0.
 * Absolute values are below 2^bits, and numbers have job_entry_limbs(bits) limbs. */
struct mpgpu_matrix {
    size_t rows, columns;
    uint64_t bits;
    mpgpu_batch *entries;
};

/* Replaces the entries of m, which takes ownership of the batch; NULL means zeros. */
void matrix_replace(mpgpu_matrix *m, mpgpu_batch *entries, uint64_t bits);

#endif
