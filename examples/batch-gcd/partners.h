/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli, new ones and those of a set, that share a factor with given new moduli. */
#ifndef BATCH_GCD_PARTNERS_H
#define BATCH_GCD_PARTNERS_H

#include "examples/batch-gcd/factors.h"
#include "examples/batch-gcd/set.h"

/* Finds partners: moduli that have a common factor with modulus f[k]. Appends them to
 * f[k].partner, for each k below `count`: first moduli of the set, then new ones.
 * - gcd[i]: the gcd of new modulus i and the product of the other new moduli
 * - shared[i]: the gcd of new modulus i and the product of the set's moduli. If new modulus i is
 *   also in the set, this product omits all moduli that are also new. */
void partners_find(struct found *f, size_t count, const struct moduli *m, mpz_t *gcd, mpz_t *shared,
                   const struct set *s);

#endif
