/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Probable primes, by GMP's tests, inside a composite operation. */
#ifndef MPGPU_PROBABLE_PRIME_H
#define MPGPU_PROBABLE_PRIME_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* Does an odd prime that is small for n, odd and of at least two limbs, divide it?  False if there
 * is no memory. */
bool probable_prime_has_factor(mpz_srcptr n);

/* GMP's answer (since 6.2) for so many `rounds`, of an odd n > 0 of no fewer limbs than the
 * threshold of powers says: that of Baillie, Pomerance, Selfridge and Wagstaff, which GMP counts
 * for 24, and rounds of Miller's and Rabin's, with GMP's own bases.  False, and nothing is said, if
 * there is no memory. */
bool probable_prime_decide(struct composite *w, mpz_srcptr n, int rounds, bool *is_prime);

#endif
