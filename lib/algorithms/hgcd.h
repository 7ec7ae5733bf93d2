/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many steps of Euclid's algorithm at once, by products that the device or GMP computes. */
#ifndef MPGPU_HGCD_H
#define MPGPU_HGCD_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/lehmer.h"

void hgcd_init(struct lehmer_matrix *m);
void hgcd_clear(struct lehmer_matrix *m);

/* Takes most of those steps of Euclid's algorithm on a, b >= 0 that leave both at least 3/4 2^t.
 * If the longer number has n bits, t >= n/2 + 1.  Sets m, which must be initialized, so that (a, b)
 * before = m (a, b) after.  If m->symbol is not NULL, each step updates it.  Returns false, and
 * leaves a and b unchanged, if there is no such step.
 *
 * Only the highest 2 (n - t) + 2 bits of a and b are reduced step by step. */
bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m);

/* Multiplies the vector (x, y) by m^-1. */
void hgcd_apply(struct composite *w, const struct lehmer_matrix *m, mpz_ptr x, mpz_ptr y);

#endif
