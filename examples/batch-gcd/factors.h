/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli that have a factor in common with another modulus, and these factors. */
#ifndef BATCH_GCD_FACTORS_H
#define BATCH_GCD_FACTORS_H

#include "examples/batch-gcd/moduli.h"

struct found {
    size_t i; /* index of the modulus */
    /* the factor that the modulus shares with other moduli: the modulus itself if it occurs twice
     */
    mpz_t factor;
    /* index of the first other modulus with the same value; equal to `i` if there is none */
    size_t same_as;
};

/* Returns the moduli that share a factor with another modulus, in the order of `m`; sets *count to
 * their number. The caller frees the array with factors_free. If `by_gmp` is set, GMP computes on
 * the host alone. */
struct found *factors_find(const struct moduli *m, bool by_gmp, size_t *count);
void factors_free(struct found *f, size_t count);

#endif
