/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signed redundant digits (Eric Bainville, GPU Benchmarks, 2009,
 * https://www.bealto.com/gpu-benchmarks_intro.html). A number is the sum of x[i] B^i, where B =
 * 2^DIGIT_BITS. Each digit x[i] is a signed word of 32 bits, with |x[i]| <= M for a bound M that
 * the plan knows. No carry goes further than two digits. In the following bounds, [a] is the
 * floor of a.
 *
 * One digit. Any t with |t| < 2^63 - B/2 is written as low + B rest, with -B/2 <= low < B/2. So
 * rest = [t/B + 1/2], and |rest| <= [|t|/B + 1/2].
 *
 * Sums. Digits of x + y and x - y are at most M_x + M_y in magnitude, which must be at most 2^31
 * - 1.
 *
 * Resolving. The resolved digits y[i] = low(x[i]) + rest(x[i-1]) have |y[i]| <= B/2 + [M/B +
 * 1/2]. For any words x[i], this bound is at most DIGIT_SETTLED = B/2 + 2^31/B. If the digits are
 * resolved once more, it is at most B/2 + 1. So 2^p resolved numbers may be added while 2^p
 * DIGIT_SETTLED <= 2^31 - 1: p <= 7 for B = 2^24, p <= 1 for B = 2^30.
 *
 * Product by one digit k, |k| <= B. Each x[i] k is split into three components. The digits
 *
 *     y[i] = low(x[i] k) + low(rest(x[i-1] k)) + rest(rest(x[i-2] k))
 *
 * have |y[i]| <= B/2 + B/2 + [M/B + 1/2]. This is at most M if M >= B + 1 = DIGIT_PRODUCT. Then
 * products can be multiplied again and again. For any words x[i], |y[i]| is at most B + 2^31/B.
 * (Bainville splits |x[i] k| instead, which needs M >= 2B - 1.) */
#ifndef REDUNDANT_H
#define REDUNDANT_H

#include "kernels/common/platform.h"

#ifndef DIGIT_BITS
#define DIGIT_BITS 24
#endif
#if DIGIT_BITS < 17 || DIGIT_BITS > 30
#error "digits have 17 to 30 bits"
#endif

/* For redundant.cl. A work-item adds or multiplies DIGIT_ITEM digits. A work-item that converts has
 * DIGIT_SPAN digits, which are DIGIT_SPAN_WORDS words. */
#define DIGIT_ITEM 4
#define DIGIT_SPAN 16
#define DIGIT_SPAN_WORDS (DIGIT_SPAN * DIGIT_BITS / 32)

#define DIGIT_BASE ((s64)1 << DIGIT_BITS)
#define DIGIT_SETTLED (DIGIT_BASE / 2 + ((s64)1 << (31 - DIGIT_BITS)))
#define DIGIT_PRODUCT (DIGIT_BASE + 1)

/* Returns the balanced remainder of t modulo B. */
FN s32 digit_low(s64 t) {
    return (s32)((u32)t << (32 - DIGIT_BITS)) >> (32 - DIGIT_BITS);
}

/* Returns (t - digit_low(t)) / B, the rest of t without its lowest digit. */
FN s64 digit_rest(s64 t) {
    return (t + DIGIT_BASE / 2) >> DIGIT_BITS;
}

/* Returns digit_rest(digit_rest(t)), for |t| <= 2^62. */
FN s64 digit_rest2(s64 t) {
    return (t + DIGIT_BASE / 2 * (DIGIT_BASE + 1)) >> 2 * DIGIT_BITS;
}

/* Returns a digit from the products at its own place and at the two places below. */
FN s32 digit_sum3(s64 t0, s64 t1, s64 t2) {
    return digit_low(t0) + digit_low(digit_rest(t1)) + (s32)digit_rest2(t2);
}

/* Returns a resolved digit from the digit and the digit below. */
FN s32 digit_resolve(s32 x0, s32 x1) {
    return digit_low(x0) + (s32)digit_rest(x1);
}

#endif
