/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's tests for probable primes, by products that the device or GMP computes. */
#ifndef MPGPU_PROBABLE_PRIME_H
#define MPGPU_PROBABLE_PRIME_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* Returns true if one of the odd primes below a limit divides n, which is odd and has at least two
 * limbs.  Returns false if memory is missing. */
bool probable_prime_has_factor(mpz_srcptr n);

/* *is_prime is GMP's answer (since 6.2) for `rounds` rounds. n > 0 is odd, and has no fewer limbs
 * than the device's threshold for powers. The test is that of Baillie, Pomerance, Selfridge and
 * Wagstaff, which GMP counts as 24 rounds, and then Miller's and Rabin's with GMP's own bases.
 * Returns false, and decides nothing, if memory is missing. */
bool probable_prime_decide(struct composite *w, mpz_srcptr n, int rounds, bool *is_prime);

#endif
