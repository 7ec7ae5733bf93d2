/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of mpz inside a composite operation. */
#ifndef MPGPU_COMPOSITE_MPZ_H
#define MPGPU_COMPOSITE_MPZ_H

#include "lib/algorithms/composite.h"

/* r = x * y; r may be either. */
void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y);

/* The bits of |x|; 0 for 0. */
static inline size_t composite_mpz_bits(mpz_srcptr x) {
    size_t n = mpz_size(x);
    return n ? n * GMP_NUMB_BITS - (size_t)__builtin_clzl(x->_mp_d[n - 1]) : 0;
}

/* Room for n limbs in x, which keeps its value. */
static inline mp_ptr composite_mpz_grow(mpz_ptr x, size_t n) {
    return (size_t)x->_mp_alloc < n ? _mpz_realloc(x, (mp_size_t)n) : x->_mp_d;
}

#endif
