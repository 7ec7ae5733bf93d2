/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, by repeated doubling of the index k from F[k] and F[k-1].
 *
 * The check compares residues of all results modulo the context's random modulus with residues that
 * the host computes from n alone. So it also detects wrong data given to the device. */
#ifndef MPGPU_CALC_FIBONACCI_H
#define MPGPU_CALC_FIBONACCI_H

#include "lib/calc/calc.h"

struct calc_fibonacci {
    uint64_t n;
    enum { CALC_FIBONACCI_ONE, CALC_FIBONACCI_TWO, CALC_FIBONACCI_LUCAS } kind;
    unsigned steps;        /* number of doublings from the numbers in `start` */
    const uint64_t *start; /* F[k] and F[k-1] for k = n >> steps, of start_limbs limbs each, one
                              after the other */
    uint64_t start_limbs;
};

/* Returns an upper bound of the bit length of the Fibonacci number F[n], for 1 <= n < 2^40. It
 * follows from F[n] <= phi^(n-1). */
static inline uint64_t calc_fibonacci_bits(uint64_t n) {
    return n * 694242 / 1000000 + 1;
}

/* Returns an upper bound of the bit length of the results. Lucas numbers may have two bits more
 * than F[n]. */
static inline uint64_t calc_fibonacci_result_bits(const struct calc_fibonacci *f) {
    return calc_fibonacci_bits(f->n) + (f->kind == CALC_FIBONACCI_LUCAS ? 2 : 0);
}

/* Returns F[n] alone, F[n] and F[n-1], or the Lucas numbers L[n] and L[n-1], depending on f->kind.
 * Each has calc_words(calc_fibonacci_result_bits(f)) words from calc_take. F[n] alone needs steps
 * >= 1. */
struct calc_fibonacci_pair {
    struct number a, b;
} calc_fibonacci(struct calc *c, const struct calc_fibonacci *f);

#endif
