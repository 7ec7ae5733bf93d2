/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Odd parts of factorials, inside a whole operation. */
#ifndef MPGPU_FACTORIAL_H
#define MPGPU_FACTORIAL_H

#include "compat/intercept/composite.h"

/* x = n! / 2^(n - popcount(n)).  0 if there is no memory; x is then any number. */
int factorial_odd(struct composite *w, mpz_ptr x, unsigned long n);

/* x = n!! for an odd n, in the same way. */
int factorial_double(struct composite *w, mpz_ptr x, unsigned long n);

/* The power of two in n!. */
static inline unsigned long factorial_twos(unsigned long n) {
    return n - (unsigned long)__builtin_popcountl(n);
}

/* The limbs of n!, about, as those of n numbers of n's length but for one bit and a half
 * (Stirling); more than SIZE_MAX is SIZE_MAX. */
static inline size_t factorial_limbs(unsigned long n) {
    size_t bits, length = n > 7 ? (size_t)(62 - __builtin_clzl(n)) : 1;
    return __builtin_mul_overflow(n, length, &bits) ? (size_t)-1 : bits / GMP_NUMB_BITS;
}

#endif
