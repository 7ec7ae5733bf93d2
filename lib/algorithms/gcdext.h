/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cofactors and inverses inside a composite operation. */
#ifndef MPGPU_GCDEXT_H
#define MPGPU_GCDEXT_H

#include "lib/algorithms/composite.h"

/* g = gcd(u, v) = s u + t v, with GMP's s and t, which may be NULL; results may be operands. */
void gcdext_mpz(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v);

/* r = the inverse of u modulo m; false, and r keeps its value, where there is none. */
bool gcdext_invert(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr m);

#endif
