/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The next probable prime, inside a composite operation. */
#ifndef MPGPU_NEXT_PRIME_H
#define MPGPU_NEXT_PRIME_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* r = the next after n > 0 that passes GMP's test, of no fewer limbs than the threshold of powers
 * says; r may be n.  False, and r is what it was, if there is no memory, or
 * none is found where one has to be. */
bool next_prime(struct composite *w, mpz_ptr r, mpz_srcptr n);

#endif
