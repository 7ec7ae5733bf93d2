/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli that a set does not have yet. */
#ifndef BATCH_GCD_REPEATS_H
#define BATCH_GCD_REPEATS_H

#include "examples/batch-gcd/factors.h"

/* Returns the moduli that are equal to no earlier modulus and to none in the set, in their order.
 * Uses f, the result of factors_find.  The returned numbers are m's own: the caller frees only the
 * array. */
mpz_t *repeats_without(const struct moduli *m, const struct found *f, size_t found, size_t *count);

#endif
