/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Primes just below 2^31 for systems of linear equations, and their constants. Does not access the
 * device. */
#ifndef MPGPU_MATRIX_PRIMES_H
#define MPGPU_MATRIX_PRIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the largest prime below `below`, which is at least 5 and at most 2^31. */
uint32_t matrix_primes_next(uint32_t below);

/* Fills the constants of a prime in the kernels' table (kernels/matrix/system.h). */
void matrix_primes_fill(uint32_t *entry, uint32_t p);

/* Sets {to, words} to the product of `count` primes, which must fit. */
void matrix_primes_multiply(uint32_t *to, uint32_t words, const uint32_t *prime, uint32_t count);

#endif
