/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of Euclid's algorithm that the highest two limbs of two numbers tell. */
#ifndef MPGPU_QUOTIENTS_H
#define MPGPU_QUOTIENTS_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/algorithms/theory/symbol.h"

__extension__ typedef unsigned __int128 quotients_pair;

/* The least bits that steps are to leave. */
enum { QUOTIENTS_BITS = 2 * GMP_NUMB_BITS, QUOTIENTS_LEAST = GMP_NUMB_BITS + 1 };

/* (x, y) before = e (x, y) after; not negative, below 2^62, with the determinant 1. */
struct quotients_matrix {
    mp_limb_t e[2][2];
};

/* Some 60 bits of steps on x and y, of any order, that leave both more than 2^t, QUOTIENTS_LEAST
 * <= t.  A symbol that is not NULL follows them.  False if there is no step. */
bool quotients_steps(struct quotients_matrix *m, quotients_pair x, quotients_pair y, unsigned t,
                     struct symbol *symbol);

#endif
