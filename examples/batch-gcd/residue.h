/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the product of all moduli of a set, modulo the product of the new moduli. */
#ifndef BATCH_GCD_RESIDUE_H
#define BATCH_GCD_RESIDUE_H

#include "examples/batch-gcd/twins.h"

/* Sets r to the product of the set's moduli modulo n > 1.  Leaves out the twins of t, which are
 * moduli both of the set and among the new ones.  The device computes r if n is long, unless
 * `by_gmp`; otherwise GMP does, in all threads. */
void residue(mpz_ptr r, const struct set *s, const struct twins *t, mpz_srcptr n, bool by_gmp);

#endif
