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
    mp_ptr e[2][2];
    size_t n, room;        /* limbs of each entry; most limbs that an entry may have */
    struct symbol *symbol; /* Jacobi's symbol, which each step updates; or NULL */
};

/* The most limbs of a number that lehmer_reduce accepts. */
enum { LEHMER_LIMBS = 128 };

/* Takes steps on the two numbers {x[0], n} and {x[1], n} that leave both above 2^t. Ends when the
 * numbers have about t + 64 bits, or when no such step is left. The highest limb of one number must
 * not be 0. Returns the length of the longer number afterwards, in limbs; the limbs above it are 0.
 * Sets the entries of m to the steps' matrix: m->room must be at least n - t/64 + 1. If m->symbol
 * is not NULL, each step updates it. */
size_t lehmer_reduce(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m);

#endif
