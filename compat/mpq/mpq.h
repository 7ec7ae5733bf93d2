/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the operations on fractions have in common: sizes; gcds and quotients. */
#ifndef MPGPU_MPQ_H
#define MPGPU_MPQ_H

#include "lib/algorithms/composite_mpz.h"

/* Limbs of the shorter factor of x * y. */
static inline size_t mpq_smaller(mpz_srcptr x, mpz_srcptr y) {
    return min_u64(mpz_size(x), mpz_size(y));
}

static inline size_t mpq_larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Both so short that no product with either of them is for a device? */
static inline int mpq_is_small(mpz_srcptr x, mpz_srcptr y) {
    return call_magnitude_is_small(&x->_mp_size, &thresholds.mul) &&
           call_magnitude_is_small(&y->_mp_size, &thresholds.mul);
}

/* Limbs of u and v. */
size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v);

/* mpz_gcd and mpz_divexact, which may go to the device. */
void mpq_gcd(struct composite *whole, mpz_ptr g, mpz_srcptr x, mpz_srcptr y);
void mpq_quotient(struct composite *whole, mpz_ptr q, mpz_srcptr x, mpz_srcptr g);

#endif
