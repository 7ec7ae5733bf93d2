/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binomial coefficients as a composite operation: an operation that consists of products, each
 * computed by the device or by GMP. */
#ifndef MPGPU_BINOMIAL_H
#define MPGPU_BINOMIAL_H

#include "lib/algorithms/composite.h"

/* Returns about the number of limbs of C(n, k), or an upper bound; 0 for calls that GMP must
 * compute, such as k > n. */
size_t binomial_size(unsigned long n, unsigned long k);
size_t binomial_mpz_size(mpz_srcptr n, unsigned long k);

/* r = C(n, k), for n and k for which the size function above does not return 0. Returns false, and
 * leaves r unchanged, if memory is missing. */
bool binomial_ui(struct composite *w, mpz_ptr r, unsigned long n, unsigned long k);
bool binomial_mpz(struct composite *w, mpz_ptr r, mpz_srcptr n, unsigned long k);

#endif
