/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The primes of a product of matrices, and the table of constants that its kernels read. Calls no
 * device. */
#ifndef MPGPU_MATRIX_PLAN_H
#define MPGPU_MATRIX_PLAN_H

#include "lib/matrix/matrix.h"

/* The table begins with the constants of `padded` primes, of which the first `primes` are used.
 * Their powers for A and B, and the weights, begin at the words below (kernels/matrix/convert.cl).
 * `width` is the number of words of a weight. */
struct matrix_plan {
    uint32_t primes, padded, width;
    uint64_t a_powers_at, b_powers_at, weights_at, words;
    uint32_t *table;
};

/* Fills a plan. Returns false if memory is missing. The caller frees plan->table. */
bool matrix_plan_init(struct matrix_plan *plan, const struct matrix_operation *op);

#endif
