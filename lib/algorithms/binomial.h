/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binomial coefficients inside a composite operation. */
#ifndef MPGPU_BINOMIAL_H
#define MPGPU_BINOMIAL_H

#include "lib/algorithms/composite.h"

/* Returns the size that is compared with the threshold for C(n, k): about its limbs, or a bound
 * above them.  Returns 0 for calls that are not computed by products, as for k > n. */
size_t binomial_size(unsigned long n, unsigned long k);
size_t binomial_mpz_size(mpz_srcptr n, unsigned long k);

/* r = C(n, k) for n >= 0 and a size other than 0.  Returns false, and changes nothing, without
 * memory. */
bool binomial_ui(struct composite *w, mpz_ptr r, unsigned long n, unsigned long k);
bool binomial_mpz(struct composite *w, mpz_ptr r, mpz_srcptr n, unsigned long k);

#endif
