/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lehmer's variant of Euclid's algorithm (Knuth 4.5.2, algorithm L) on numbers of few limbs. */
#ifndef MPGPU_LEHMER_H
#define MPGPU_LEHMER_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/algorithms/theory/symbol.h"

/* The matrix of steps of Euclid's algorithm that changed a0, b0 to a, b: (a0, b0) = m (a, b).  The
 * entries are not negative; the determinant is 1. */
struct lehmer_matrix {
    mpz_t e[2][2];
    struct symbol *symbol; /* Jacobi's symbol, which each step updates; or NULL */
};

/* The most limbs of a number that lehmer_reduce accepts. */
enum { LEHMER_LIMBS = 128 };

/* Takes steps on a and b that leave both above 2^t, down to about 64 bits above t or until no such
 * step is left.  Sets the entries of m to the steps' matrix.  If m->symbol is not NULL, each step
 * updates it. */
void lehmer_reduce(mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m);

#endif
