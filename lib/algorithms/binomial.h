/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binomial coefficients inside a composite operation. */
#ifndef MPGPU_BINOMIAL_H
#define MPGPU_BINOMIAL_H

#include "lib/algorithms/composite.h"

/* What is compared with the threshold for C(n, k): its limbs, about, or no less.  0: not for
 * products, as k > n is. */
size_t binomial_size(unsigned long n, unsigned long k);
size_t binomial_mpz_size(mpz_srcptr n, unsigned long k);

/* r = C(n, k), n >= 0, where that size is not 0.  False, and nothing has changed, if there is no
 * memory. */
bool binomial_ui(struct composite *w, mpz_ptr r, unsigned long n, unsigned long k);
bool binomial_mpz(struct composite *w, mpz_ptr r, mpz_srcptr n, unsigned long k);

#endif
