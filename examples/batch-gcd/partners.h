/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which moduli, new ones and those of a set, share a factor with the found new ones. */
#ifndef BATCH_GCD_PARTNERS_H
#define BATCH_GCD_PARTNERS_H

#include "examples/batch-gcd/factors.h"
#include "examples/batch-gcd/set.h"

/* Appends to the partners of all `count` found moduli: first those of the set, then the new ones.
 * gcd[i] is the gcd of modulus i and the product of all other new ones, shared[i] its gcd with the
 * product of the set, without its twin, which f[k].same_in_set names. */
void partners_find(struct found *f, size_t count, const struct moduli *m, mpz_t *gcd, mpz_t *shared,
                   const struct set *s);

#endif
