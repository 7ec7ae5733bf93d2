/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many steps of Euclid's algorithm at once, by products, inside a composite operation. */
#ifndef MPGPU_HGCD_H
#define MPGPU_HGCD_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/lehmer.h"

void hgcd_init(struct lehmer_matrix *m);
void hgcd_clear(struct lehmer_matrix *m);

/* Takes steps of Euclid's algorithm on a, b >= 0 that leave both at least 3/4 2^t, and most of
 * the steps that do; t >= n/2 + 1 for the n bits of the longer one.  (a0, b0) = m (a, b), for a m
 * that is initialised.  A symbol of m that is that of a and b follows them.  False, and a and b
 * are what they were, if there is none such.  Only the
 * highest 2 (n - t) + 2 bits of a and b are looked at one by one. */
bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m);

/* (x, y) = m^-1 (x, y). */
void hgcd_apply(struct composite *w, const struct lehmer_matrix *m, mpz_ptr x, mpz_ptr y);

#endif
