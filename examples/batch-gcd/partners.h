/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli, new ones and those of a set, that share a factor with given new moduli. */
#ifndef BATCH_GCD_PARTNERS_H
#define BATCH_GCD_PARTNERS_H

#include "examples/batch-gcd/factors.h"
#include "examples/batch-gcd/set.h"

/* Appends to f[k].partner, for each k below `count`, all moduli that have a common factor with
 * modulus f[k]: first moduli of the set, then new ones.
 * gcd[i] is the gcd of new modulus i and the product of the other new ones.  shared[i] is the
 * gcd of new modulus i and the product of the set's moduli.  But if the set has new modulus i too,
 * the product for shared[i] leaves out all new moduli. */
void partners_find(struct found *f, size_t count, const struct moduli *m, mpz_t *gcd, mpz_t *shared,
                   const struct set *s);

#endif
