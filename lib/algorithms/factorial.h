/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factorials and primorials as composite operations: each consists of products that the device or
 * GMP computes. */
#ifndef MPGPU_FACTORIAL_H
#define MPGPU_FACTORIAL_H

#include "lib/algorithms/composite.h"

/* x = n! / 2^(n - popcount(n)), the odd part of n!.  Returns false if memory is missing; x is then
 * any number. */
bool factorial_odd(struct composite *w, mpz_ptr x, unsigned long n);

/* factorial_multi: r = n (n-m) (n-2m) ..., m >= 1. factorial_primorial: r is the product of the
 * primes up to n.  Both return false, and change nothing, if memory is missing. */
bool factorial_multi(struct composite *w, mpz_ptr r, unsigned long n, unsigned long m);
bool factorial_primorial(struct composite *w, mpz_ptr r, unsigned long n);

/* Returns the exponent of 2 in n!. */
static inline unsigned long factorial_twos(unsigned long n) {
    return n - (unsigned long)__builtin_popcountl(n);
}

/* Returns the approximate number of limbs of n!, at most SIZE_MAX. Estimates n! as n factors, each
 * 1.5 bits shorter than n (Stirling). */
static inline size_t factorial_limbs(unsigned long n) {
    size_t bits, length = n > 7 ? (size_t)(62 - __builtin_clzl(n)) : 1;
    return __builtin_mul_overflow(n, length, &bits) ? (size_t)-1 : bits / GMP_NUMB_BITS;
}

#endif
