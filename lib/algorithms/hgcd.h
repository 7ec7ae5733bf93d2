/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many steps of Euclid's algorithm at once by products, inside a composite operation. */
#ifndef MPGPU_HGCD_H
#define MPGPU_HGCD_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/lehmer.h"

void hgcd_init(struct lehmer_matrix *m);
void hgcd_clear(struct lehmer_matrix *m);

/* Takes steps of Euclid's algorithm on a, b >= 0 that leave both at least 3/4 2^t: most of all such
 * steps. t >= n/2 + 1, if the longer number has n bits.  Sets m, which must be initialized, so that
 * (a, b) before = m (a, b) after.  If m has a symbol of a and b, the symbol follows the steps.
 * Returns false, and leaves a and b unchanged, if there is no such step.
 *
 * Only the highest 2 (n - t) + 2 bits of a and b are reduced step by step. */
bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m);

/* Multiplies the vector (x, y) by m^-1. */
void hgcd_apply(struct composite *w, const struct lehmer_matrix *m, mpz_ptr x, mpz_ptr y);

#endif
