/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on device numbers in signed redundant digits of 24 bits (B = 2^24), each in a word of
 * 32 bits. The spare bits make carries unnecessary in sums and in products by a digit.
 * kernels/sums/redundant.h has the bounds of digits.
 * A `struct number` counts such digits as words; its `at` is a multiple of 4. If a result has fewer
 * digits than its value needs, the highest are omitted. All work is queued in the context's queue.
 * r overlaps no operand unless stated otherwise. */
#ifndef MPGPU_REDUNDANT_H
#define MPGPU_REDUNDANT_H

#include "lib/device/number.h"

/* Returns the count of digits for a number of `words` words, if each digit is from 0 to B - 1. */
static inline uint64_t redundant_digits(uint64_t words) {
    return (words * 32 + 23) / 24;
}

/* Converts the number u, in words, to r, its lowest r.words digits. */
enum gpu_status redundant_from_words(struct context *s, struct number r, struct number u);

/* Converts u, whose digits may have any signed values of 32 bits, to words: r = u modulo 2^(32
 * r.words). Uses the buffer SLOT_FLAGS. */
enum gpu_status redundant_to_words(struct context *s, struct number r, struct number u);

/* Copies u to r. For measurements: no other operation on the same memory can take less time. */
enum gpu_status redundant_copy(struct context *s, struct number r, struct number u);

/* Computes r = u + v, or r = u - v if `subtract`, where u.words >= v.words and r.words = u.words. r
 * may be u or v. The bound of r's digits is the sum of the bounds of u's and v's digits. */
enum gpu_status redundant_add(struct context *s, struct number r, struct number u, struct number v,
                              int subtract);

/* Computes r = k u, where |k| <= B = 2^24. r needs at most u.words + 2 digits. If no digit of u
 * exceeds DIGIT_PRODUCT in magnitude, no digit of r does. */
enum gpu_status redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k);

/* Converts u to r, the same number with digits of at most DIGIT_SETTLED in magnitude. r needs at
 * most u.words + 1 digits. */
enum gpu_status redundant_resolve(struct context *s, struct number r, struct number u);

#endif
