/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lehmer's way of Euclid's algorithm (Knuth 4.5.2, algorithm L) on numbers of few limbs. */
#ifndef MPGPU_LEHMER_H
#define MPGPU_LEHMER_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/algorithms/theory/symbol.h"

/* Of numbers that are not negative, with the determinant 1: how numbers a0, b0 come from what
 * steps of Euclid's algorithm have made of them, (a0, b0) = m (a, b). */
struct lehmer_matrix {
    mpz_t e[2][2];
    struct symbol *symbol; /* what follows the steps, or NULL */
};

/* Numbers of so many limbs at most. */
enum { LEHMER_LIMBS = 128 };

/* Takes steps on a and b that leave both more than 2^t, to some 64 bits above or until no step
 * does, and sets the entries of m to theirs; a symbol of m follows them. */
void lehmer_reduce(mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m);

#endif
