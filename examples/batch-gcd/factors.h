/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which moduli have factors in common with others, and which. */
#ifndef BATCH_GCD_FACTORS_H
#define BATCH_GCD_FACTORS_H

#include "examples/batch-gcd/moduli.h"

struct found {
    size_t i;       /* of the modulus */
    mpz_t factor;   /* a proper factor, or the modulus if it occurs twice */
    size_t same_as; /* the first other that is equal, or i */
};

/* Finds common factors, in the order of the moduli.  The caller frees the array.  Uses GMP alone if
 * `by_gmp`. */
struct found *factors_find(const struct moduli *m, bool by_gmp, size_t *count);
void factors_free(struct found *f, size_t count);

#endif
