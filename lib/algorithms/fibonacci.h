/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers as a composite operation: it consists of products, each computed by
 * the device or by GMP (lib/calc/calc_fibonacci.h). */
#ifndef MPGPU_FIBONACCI_H
#define MPGPU_FIBONACCI_H

#include "lib/algorithms/recipe.h"
#include "lib/calc/calc_fibonacci.h"

/* Returns about the number of limbs of F[n] and L[n], to be compared with the device's threshold.
 * Returns 0, which means that GMP must compute the call, if an mpz cannot hold the result. */
size_t fibonacci_size(unsigned long n);

enum { FIBONACCI_LIMB_INDICES = 92 }; /* F[n] has 0.6942 n bits: one limb for 92 steps of n */

/* GMP computes the two numbers from which the doublings start, in microseconds. Each has at most
 * FIBONACCI_START_BITS bits. */
enum {
    FIBONACCI_START_BITS = 1 << 15,
    FIBONACCI_START_LIMBS = 2 * (FIBONACCI_START_BITS / 64 + 1)
};

/* Returns the job (lib/job/job.h) that computes F[n] or L[n], n >= 2. The caller must add the
 * results to the job. Writes the two numbers from which the doublings start to `start`, of
 * FIBONACCI_START_LIMBS limbs. `start` must not change until the job is done. */
struct job fibonacci_job(unsigned long n, int kind, mp_ptr start);

/* CALC_FIBONACCI_ONE: r = F[n], s is NULL. CALC_FIBONACCI_TWO: r = F[n], s = F[n-1].
 * CALC_FIBONACCI_LUCAS: r = L[n], s = L[n-1]; s may be NULL. Returns false, and changes nothing, if
 * memory is missing or n < 2. */
bool fibonacci(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n, int kind);

#endif
