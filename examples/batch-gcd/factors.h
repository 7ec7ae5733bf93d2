/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli that have a factor in common with another modulus, and these factors. */
#ifndef BATCH_GCD_FACTORS_H
#define BATCH_GCD_FACTORS_H

#include "examples/batch-gcd/moduli.h"

struct found {
    size_t i;       /* of the modulus */
    mpz_t factor;   /* a proper factor, or the modulus if it occurs twice */
    size_t same_as; /* index of the first other modulus with the same value; `i` if there is none */
};

/* Finds common factors, and returns an array in the order of the moduli. The caller frees the
 * array with factors_free. If `by_gmp` is set, GMP computes on the host alone. */
struct found *factors_find(const struct moduli *m, bool by_gmp, size_t *count);
void factors_free(struct found *f, size_t count);

#endif
