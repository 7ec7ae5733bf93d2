/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of Euclid's algorithm that depend only on the highest two limbs of two numbers. */
#ifndef MPGPU_QUOTIENTS_H
#define MPGPU_QUOTIENTS_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/algorithms/theory/symbol.h"

__extension__ typedef unsigned __int128 quotients_pair;

/* The bits of x and y, and the lowest t that quotients_steps takes. */
enum { QUOTIENTS_BITS = 2 * GMP_NUMB_BITS, QUOTIENTS_LEAST = GMP_NUMB_BITS + 1 };

/* (x, y) before = e (x, y) after.  The entries are not negative and below 2^62; the determinant is
 * 1. */
struct quotients_matrix {
    mp_limb_t e[2][2];
};

/* Takes steps on x and y, in either order, that leave both above 2^t, t >= QUOTIENTS_LEAST: about
 * 60 bits of steps.  If symbol is not NULL, it follows the steps.  Returns false if there is no
 * step. */
bool quotients_steps(struct quotients_matrix *m, quotients_pair x, quotients_pair y, unsigned t,
                     struct symbol *symbol);

#endif
