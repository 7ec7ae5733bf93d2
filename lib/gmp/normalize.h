/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lengths and copies of numbers that may have leading zeros. */
#ifndef MPGPU_NORMALIZE_H
#define MPGPU_NORMALIZE_H

#include <gmp.h>
#include <stddef.h>

/* Returns the number of limbs of {p, n} without leading zeros: 0 for zero. */
static inline size_t normalize(mp_srcptr p, size_t n) {
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n;
}

/* Returns the bit length of {p, n}; 0 for zero. */
static inline size_t normalize_bits(mp_srcptr p, size_t n) {
    n = normalize(p, n);
    return n ? n * GMP_NUMB_BITS - (size_t)__builtin_clzl(p[n - 1]) : 0;
}

/* Copies |x| to {p, n}, and fills the highest limbs with zeros. n >= mpz_size(x). */
static inline void normalize_pad(mp_ptr p, size_t n, mpz_srcptr x) {
    size_t used = mpz_size(x);
    mpn_copyi(p, mpz_limbs_read(x), (mp_size_t)used);
    mpn_zero(p + used, (mp_size_t)(n - used));
}

#endif
