/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The next probable prime, by products that the device or GMP computes. */
#ifndef MPGPU_NEXT_PRIME_H
#define MPGPU_NEXT_PRIME_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* r = the first number above n > 0 that passes GMP's test for primes. n has no fewer limbs than the
 * device's threshold for powers; r may be n. Returns false, and leaves r unchanged, if memory is
 * missing, or if all of MOST_SIEVES sieves have no prime. */
bool next_prime(struct composite *w, mpz_ptr r, mpz_srcptr n);

#endif
