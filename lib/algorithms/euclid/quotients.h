/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of Euclid's algorithm that depend only on the highest two limbs of two numbers. */
#ifndef MPGPU_QUOTIENTS_H
#define MPGPU_QUOTIENTS_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/algorithms/theory/symbol.h"

__extension__ typedef unsigned __int128 quotients_pair;

/* For quotients_steps. QUOTIENTS_BITS: the bits of the arguments x and y. QUOTIENTS_LEAST: the
 * least argument t; the steps leave x and y above 2^t. */
enum { QUOTIENTS_BITS = 2 * GMP_NUMB_BITS, QUOTIENTS_LEAST = GMP_NUMB_BITS + 1 };

/* The matrix e of steps that change a pair of numbers: (x, y) before = e (x, y) after. The entries
 * are not negative and below 2^63; the determinant is 1. */
struct quotients_matrix {
    mp_limb_t e[2][2];
};

/* Takes steps of Euclid's algorithm on x and y, in either order, that leave both above 2^t, for t
 * >= QUOTIENTS_LEAST. All steps together remove about 60 bits. If symbol (Jacobi's) is not NULL,
 * each step updates it. Returns false if no step is possible. */
bool quotients_steps(struct quotients_matrix *m, quotients_pair x, quotients_pair y, unsigned t,
                     struct symbol *symbol);

#endif
