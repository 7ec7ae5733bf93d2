/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers inside a composite operation. */
#ifndef MPGPU_FIBONACCI_H
#define MPGPU_FIBONACCI_H

#include "lib/algorithms/composite.h"

/* What is compared with the threshold for F[n] and L[n]: their limbs, about; 0 for what an mpz
 * cannot hold, which is for GMP to say. */
size_t fibonacci_size(unsigned long n);

enum { FIBONACCI_LIMB_INDICES = 92 }; /* F[n] has 0.6942 n bits */

/* r = F[n]. */
void fibonacci_one(struct composite *w, mpz_ptr r, unsigned long n);

/* r = F[n], s = F[n-1]. */
void fibonacci_two(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n);

/* r = L[n], s = L[n-1]; s may be NULL. */
void fibonacci_lucas(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n);

#endif
