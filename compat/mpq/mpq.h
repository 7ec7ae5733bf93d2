/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sizes of fractions. */
#ifndef MPGPU_MPQ_H
#define MPGPU_MPQ_H

#include "compat/intercept/composite_call.h"

/* Limbs of the shorter factor of x * y. */
static inline size_t mpq_smaller(mpz_srcptr x, mpz_srcptr y) {
    return min_u64(mpz_size(x), mpz_size(y));
}

/* Limbs of the longer of two shorter factors. */
static inline size_t mpq_larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Returns true if both are so short that no product with either of them is sent to a device. */
static inline bool mpq_is_small(mpz_srcptr x, mpz_srcptr y) {
    return thresholds_magnitude_is_small(&x->_mp_size, &thresholds.mul) &&
           thresholds_magnitude_is_small(&y->_mp_size, &thresholds.mul);
}

/* Limbs of u and v. */
size_t mpq_limbs(mpq_srcptr u, mpq_srcptr v);

#endif
