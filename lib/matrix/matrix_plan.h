/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The primes of a product of matrices, and the table of constants that its kernels read. Does not
 * access the device. */
#ifndef MPGPU_MATRIX_PLAN_H
#define MPGPU_MATRIX_PLAN_H

#include "lib/matrix/matrix.h"

/* The table begins with the constants of the primes: first those of the `primes` primes in use,
 * then padding, `padded` in all. a_powers_at, b_powers_at and weights_at are the words at which
 * other parts begin: powers for the entries of A and of B, and weights (kernels/matrix/convert.cl).
 * The powers are those of 2^32. If is_split, they are bytes of powers of 2^8 instead (MATRIX_SPLIT
 * in kernels/matrix/matrix.h), and `padded` equals `primes`. A weight has `width` words. */
struct matrix_plan {
    bool is_split;
    uint32_t primes, padded, width;
    uint64_t a_powers_at, b_powers_at, weights_at, words;
    uint32_t *table;
};

/* Fills a plan and its table. is_split selects which powers the table has (struct matrix_plan).
 * Returns false if memory is missing. The caller frees plan->table. */
bool matrix_plan_init(struct matrix_plan *plan, const struct matrix_operation *op, bool is_split);

#endif
