/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on device numbers in signed redundant digits of 24 bits (base B = 2^24), each in a
 * word of 32 bits. Because of the spare bits, sums and products by a digit need no carries.
 * kernels/sums/redundant.h has the bounds of digits.
 *
 * In these functions, the words of a `struct number` are such digits; its `at` is a multiple of 4.
 * If a result has fewer digits than its value needs, the highest digits are omitted. All work is
 * queued in the context's queue. r overlaps no operand unless stated otherwise. */
#ifndef MPGPU_REDUNDANT_H
#define MPGPU_REDUNDANT_H

#include "lib/device/number.h"

/* Returns the count of digits of 24 bits for a number of `words` words, if each digit is from 0 to
 * 2^24 - 1. */
static inline uint64_t redundant_digits(uint64_t words) {
    return (words * 32 + 23) / 24;
}

/* Converts u, a number in words, to digits: r gets its lowest r.words digits. */
enum gpu_status redundant_from_words(struct context *s, struct number r, struct number u);

/* Converts u, whose digits may be any signed numbers of 32 bits, to words: r = u modulo 2^(32
 * r.words). Uses the buffer SLOT_FLAGS. */
enum gpu_status redundant_to_words(struct context *s, struct number r, struct number u);

/* Copies u to r. Used for measurements: no operation on the same memory can be faster than a
 * copy. */
enum gpu_status redundant_copy(struct context *s, struct number r, struct number u);

/* Computes r = u + v, or r = u - v if `subtract`, where u.words >= v.words and r.words = u.words. r
 * may be u or v. The digits of r may be as large as the largest digits of u and v together. */
enum gpu_status redundant_add(struct context *s, struct number r, struct number u, struct number v,
                              int subtract);

/* Computes r = k u, where |k| <= B = 2^24. r needs at most u.words + 2 digits. If all digits of u
 * are at most DIGIT_PRODUCT in magnitude, so are the digits of r. */
enum gpu_status redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k);

/* Converts u to r, the same number with digits of at most DIGIT_SETTLED in magnitude. r needs at
 * most u.words + 1 digits. */
enum gpu_status redundant_resolve(struct context *s, struct number r, struct number u);

#endif
