/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many steps of Euclid's algorithm at once, by products that the device or GMP computes. */
#ifndef MPGPU_HGCD_H
#define MPGPU_HGCD_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/lehmer.h"

/* Steps of Euclid's algorithm: their matrix, and the memory in which its entries are. */
struct hgcd {
    struct lehmer_matrix m;
    mpz_t memory;
};

/* hgcd_init prepares *h for one hgcd_reduce; hgcd_clear frees its memory.  If `symbol` (Jacobi's)
 * is not NULL, each step of hgcd_reduce updates it. */
void hgcd_init(struct hgcd *h, struct symbol *symbol);
void hgcd_clear(struct hgcd *h);

/* Takes steps of Euclid's algorithm on a, b >= 0, while both results stay at least 3/4 2^t. It
 * takes most of the possible steps, but not always all. Let the longer number have n bits: t must
 * be at least n/2 + 1, and less than n. Sets h->m to the matrix of the steps: (a, b) before = m
 * (a, b) after.
 *
 * Returns false, and leaves a and b unchanged, if no step is possible. Only the highest 2 (n - t)
 * + 2 bits of a and b are reduced step by step. */
bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct hgcd *h);

/* After hgcd_reduce: multiplies the vector (x, y) by the inverse of h->m, the matrix of the steps
 * taken. */
void hgcd_apply(struct composite *w, const struct hgcd *h, mpz_ptr x, mpz_ptr y);

#endif
