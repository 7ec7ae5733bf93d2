/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jacobi's symbol, as Kronecker extended it, by products that the device or GMP computes. */
#ifndef MPGPU_JACOBI_H
#define MPGPU_JACOBI_H

#include "lib/algorithms/composite.h"

/* Returns (a/b): 1, 0 or -1.  Neither a nor b is 0. */
int jacobi_mpz(struct composite *w, mpz_srcptr a, mpz_srcptr b);

#endif
