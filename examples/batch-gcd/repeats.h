/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli that a set does not have yet. */
#ifndef BATCH_GCD_REPEATS_H
#define BATCH_GCD_REPEATS_H

#include "examples/batch-gcd/factors.h"

/* Returns, in their order, the moduli that are equal to none before and to none in the set: with f,
 * factors_find has compared them with it.  The numbers are those of m; the caller frees the array
 * alone. */
mpz_t *repeats_without(const struct moduli *m, const struct found *f, size_t found, size_t *count);

#endif
