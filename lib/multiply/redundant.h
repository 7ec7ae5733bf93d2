/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device in signed redundant digits of 24 bits, a word each
 * (kernels/sums/redundant.h has their bounds): sums and products by a digit without carries, and
 * from and to words. A `struct number` of such digits has them for words, and `at` a multiple of 4.
 * Results of fewer digits than their value takes are cut off at the top.  All is put into the
 * context's queue; r lies apart from the operands where nothing else is said. */
#ifndef MPGPU_REDUNDANT_H
#define MPGPU_REDUNDANT_H

#include "lib/device/number.h"

/* The digits that hold `words` words, each then in 0 .. B - 1. */
static inline uint64_t redundant_digits(uint64_t words) {
    return (words * 32 + 23) / 24;
}

/* r = u in digits; r.words digits of it. */
enum gpu_status redundant_from_words(struct context *s, struct number r, struct number u);

/* {r} = u modulo 2^(32 r.words), of any digits.  Uses SLOT_FLAGS. */
enum gpu_status redundant_to_words(struct context *s, struct number r, struct number u);

/* r = u as it is: what a pass over memory takes at least, for measurements. */
enum gpu_status redundant_copy(struct context *s, struct number r, struct number u);

/* r = u + v, or u - v if subtract; u.words >= v.words, r.words = u.words; r may be u or v.
 * The digits' bounds add. */
enum gpu_status redundant_add(struct context *s, struct number r, struct number u, struct number v,
                              int subtract);

/* r = k u, |k| <= B; u.words + 2 digits hold it, at most DIGIT_PRODUCT each if u's are. */
enum gpu_status redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k);

/* r = u with each digit at most DIGIT_SETTLED; u.words + 1 digits hold it. */
enum gpu_status redundant_settle(struct context *s, struct number r, struct number u);

#endif
