/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device in signed redundant digits of 24 bits, a word each
 * (kernels/sums/redundant.h has their bounds). Sums and products by a digit need no carries; digits
 * convert from and to words. A `struct number` of such digits counts them as words, and its `at` is
 * a multiple of 4. Results with fewer digits than their value needs are truncated at the top. All
 * work is queued in the context's queue; r overlaps no operand unless stated otherwise. */
#ifndef MPGPU_REDUNDANT_H
#define MPGPU_REDUNDANT_H

#include "lib/device/number.h"

/* Returns the count of digits that represent `words` words if each digit is in 0 .. B - 1. */
static inline uint64_t redundant_digits(uint64_t words) {
    return (words * 32 + 23) / 24;
}

/* r = u in digits, the lowest r.words of them. */
enum gpu_status redundant_from_words(struct context *s, struct number r, struct number u);

/* {r} = u modulo 2^(32 r.words), for any digits. Uses SLOT_FLAGS. */
enum gpu_status redundant_to_words(struct context *s, struct number r, struct number u);

/* r = u unchanged. For measurements: no pass over the same memory costs less. */
enum gpu_status redundant_copy(struct context *s, struct number r, struct number u);

/* r = u + v, or u - v if subtract; u.words >= v.words, r.words = u.words; r may be u or v. The
 * bounds of the digits add up. */
enum gpu_status redundant_add(struct context *s, struct number r, struct number u, struct number v,
                              int subtract);

/* r = k u, |k| <= B. r needs at most u.words + 2 digits. If no digit of u exceeds DIGIT_PRODUCT in
 * magnitude, no digit of r does. */
enum gpu_status redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k);

/* r = u with each digit reduced to at most DIGIT_SETTLED in magnitude. r needs at most u.words + 1
 * digits. */
enum gpu_status redundant_settle(struct context *s, struct number r, struct number u);

#endif
