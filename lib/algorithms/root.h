/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots inside a composite operation. */
#ifndef MPGPU_ROOT_H
#define MPGPU_ROOT_H

#include "lib/algorithms/composite.h"

/* What is compared with the threshold for the n-th root of u: its limbs.  0: not for products.
 * Errors are GMP's: n = 0, and even roots of negative numbers. */
size_t root_size(mpz_srcptr u, unsigned long n);

/* r = the n-th root of u, towards zero, rest = u - r^n, where root_size is no less than the
 * threshold; r and rest may be NULL, or u.  True if the rest is 0. */
bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, mpz_srcptr u, unsigned long n);

#endif
