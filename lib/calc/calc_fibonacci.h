/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, from F[k] and F[k-1] to twice k and so on.
 *
 * The check: residues of all results modulo the context's random modulus, beside those that the
 * host computes from n alone.  It covers what the device is given too. */
#ifndef MPGPU_CALC_FIBONACCI_H
#define MPGPU_CALC_FIBONACCI_H

#include "lib/calc/calc.h"

struct calc_fibonacci {
    uint64_t n;
    enum { CALC_FIBONACCI_ONE, CALC_FIBONACCI_TWO, CALC_FIBONACCI_LUCAS } kind;
    unsigned steps;        /* from `start`, F[k] and F[k-1], */
    const uint64_t *start; /* start_limbs limbs each, one behind the other: for k = n >> steps */
    uint64_t start_limbs;
};

/* The bits of F[n], at most: F[n] <= phi^(n-1), n >= 1, n < 2^40. */
static inline uint64_t calc_fibonacci_bits(uint64_t n) {
    return n * 694242 / 1000000 + 1;
}

/* Those of the results. */
static inline uint64_t calc_fibonacci_result_bits(const struct calc_fibonacci *f) {
    return calc_fibonacci_bits(f->n) + (f->kind == CALC_FIBONACCI_LUCAS ? 2 : 0);
}

/* F[n]; or F[n] and F[n-1], or L[n] and L[n-1]: calc_words of those bits, taken from the room.  Of
 * one alone, steps >= 1. */
struct calc_fibonacci_pair {
    struct number a, b;
} calc_fibonacci(struct calc *c, const struct calc_fibonacci *f);

#endif
