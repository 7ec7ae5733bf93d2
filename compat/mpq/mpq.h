/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sizes of fractions in limbs, by which the intercepted functions decide whether a call is
 * large. */
#ifndef MPGPU_MPQ_H
#define MPGPU_MPQ_H

#include "compat/intercept/composite_call.h"

/* Returns the number of limbs of the shorter factor of the product x * y. */
static inline size_t mpq_smaller(mpz_srcptr x, mpz_srcptr y) {
    return min_u64(mpz_size(x), mpz_size(y));
}

/* Returns the larger of two sizes. Operations that consist of several products compare it with the
 * threshold. */
static inline size_t mpq_larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Returns true if x and y are so short that no product with either of them would be sent to a
 * device. */
static inline bool mpq_is_small(mpz_srcptr x, mpz_srcptr y) {
    return thresholds_magnitude_is_small(&x->_mp_size, &thresholds.product) &&
           thresholds_magnitude_is_small(&y->_mp_size, &thresholds.product);
}

/* Returns the total number of limbs of the numerators and denominators of u and v. */
size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v);

#endif
