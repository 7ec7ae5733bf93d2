/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which moduli have factors in common with others, and which. */
#ifndef BATCH_GCD_FACTORS_H
#define BATCH_GCD_FACTORS_H

#include "examples/batch-gcd/moduli.h"

struct found {
    size_t i;       /* of the modulus */
    mpz_t factor;   /* a proper one, or the modulus where it is just the same as another */
    size_t same_as; /* the first other that is equal, or i */
};

/* In the order of the moduli; from malloc.  By GMP with `by_gmp`. */
struct found *factors_find(const struct moduli *m, bool by_gmp, size_t *count);
void factors_free(struct found *f, size_t count);

#endif
