/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Balanced digits of a number, for the host and the kernels.
 *
 * A number of p bits has `length` digits, p = length bits + rest, rest < length. Digit k begins at
 * bit ceil(k p / length) and has `bits` or bits + 1 bits. Let e[k] be the number in these bits, and
 * t[k] their highest bit. The digit is e[k] - 2^width t[k] + t[k - 1], between -2^(width - 1) and
 * 2^(width - 1). So a digit depends only on its bits and on the bit below.
 *
 * Digit k has the weight 2^(excess / length), excess = length ceil(k rest / length) - k rest.
 * Without a rest all weights are 1. The cyclic convolution of weighted digits is the weighted
 * product modulo 2^p - 1 (R. Crandall and B. Fagin, "Discrete weighted transforms and large-integer
 * arithmetic", Math. Comp. 62, 1994). */
#ifndef BALANCED_DIGITS_H
#define BALANCED_DIGITS_H

#include "kernels/common/platform.h"

/* If `rest` is not 0, length is at most 2^DIGITS_MOST_LOG. */
#define DIGITS_MOST_LOG 24
/* For products modulo 2^p - 1 or 2^p + 1, length is a multiple of this
 * (lib/multiply/wraparound.c). */
#define DIGITS_UNIT 2048

struct digits {
    u32 bits, rest;
    u64 length;
    double per; /* 1 / length */
};

struct digit {
    u64 begin;
    u32 width, excess;
};

FN struct digits digits_make(u32 bits, u32 rest, u64 length) {
    struct digits d;
    d.bits = bits, d.rest = rest, d.length = length, d.per = 1.0 / (double)length;
    return d;
}

FN u64 digits_all_bits(struct digits d) {
    return d.length * d.bits + d.rest;
}

/* Returns digit k <= length. The quotient `more` is exact although it is computed in doubles: the
 * error is below 2^-28. The true quotient is below 2^24, and at least 2^-25 away from an
 * integer. */
FN struct digit digit_of(struct digits d, u64 k) {
    struct digit at;
    at.begin = k * d.bits, at.width = d.bits, at.excess = 0;
    if (d.rest) {
        const u64 x = k * d.rest;
        const u64 more = (u64)(((double)(x + d.length - 1) + 0.5) * d.per);
        at.begin += more;
        at.excess = (u32)(more * d.length - x);
        at.width += at.excess < d.rest;
    }
    return at;
}

FN struct digit digit_next(struct digits d, struct digit at) {
    at.begin += at.width;
    at.excess += (at.excess < d.rest ? (u32)d.length : 0u) - d.rest;
    at.width = d.bits + (at.excess < d.rest);
    return at;
}

/* Returns digit j + k, where `from` is digit j and `by` is digit k. The weight of digit j + k is
 * the product of the weights of digits j and k. But if the member `excess` of digit j + k is less
 * than that of digit j, the weight is half this product. */
FN struct digit digit_after(struct digits d, struct digit from, struct digit by) {
    from.begin += by.begin, from.excess += by.excess;
    if (from.excess >= d.length)
        from.begin--, from.excess -= (u32)d.length;
    from.width = d.bits + (from.excess < d.rest);
    return from;
}

FN struct digit digit_previous(struct digits d, struct digit at) {
    const u64 excess = (u64)at.excess + d.rest;
    at.excess = (u32)(excess < d.length ? excess : excess - d.length);
    at.width = d.bits + (at.excess < d.rest);
    at.begin -= at.width;
    return at;
}

/* Returns the first digit that begins at bit `bit` or above, and sets *k to its index. */
FN struct digit digit_from(struct digits d, u64 bit, u64 *k) {
    /* an estimate of the index *k: right, or too small by 1 or 2 */
    u64 i = (u64)((double)bit * (double)d.length / (double)digits_all_bits(d));
    i -= i > 0;
    struct digit at = digit_of(d, i);
    for (; at.begin < bit; i++)
        at = digit_next(d, at);
    *k = i;
    return at;
}

/* Returns a digit of at most 30 bits, whose bits follow bit 0 of `bits`. Bit 0 is the bit below the
 * digit. The shift to the right extends the sign. */
FN s32 digit_from_word(u32 bits, u32 width) {
    return ((s32)(bits << (31 - width)) >> (32 - width)) + (s32)(bits & 1u);
}

/* Returns the value of the digit of {x, words}; words behind the end are 0. */
FN s32 digit_value(GLOBAL const u32 *x, u64 words, struct digit at) {
    /* Bits are counted as if a word of zeros preceded x: bit k of x has the number k + 32. `bit`
     * is the number of the bit just below the digit. */
    const u64 bit = at.begin + 31, i = bit / 32;
    u32 low = i >= 1 && i - 1 < words ? x[i - 1] : 0u, high = i < words ? x[i] : 0u;
    return digit_from_word((u32)(((u64)high << 32 | low) >> (bit % 32)), at.width);
}

/* Returns 2^x for |x| <= 1/2, with a relative error below 2^-52: the terms of the exponential
 * series up to degree 13. */
FN double digits_power(double x) {
    const double t = x * 0.69314718055994530942;
    double sum = 1.0 / 6227020800.0;
    sum = sum * t + 1.0 / 479001600.0;
    sum = sum * t + 1.0 / 39916800.0;
    sum = sum * t + 1.0 / 3628800.0;
    sum = sum * t + 1.0 / 362880.0;
    sum = sum * t + 1.0 / 40320.0;
    sum = sum * t + 1.0 / 5040.0;
    sum = sum * t + 1.0 / 720.0;
    sum = sum * t + 1.0 / 120.0;
    sum = sum * t + 1.0 / 24.0;
    sum = sum * t + 1.0 / 6.0;
    sum = sum * t + 0.5;
    sum = sum * t + 1.0;
    return sum * t + 1.0;
}

/* Return the weight of a digit, and its inverse. */
FN double digit_weight(struct digits d, struct digit at) {
    return d.rest ? 1.4142135623730950488 * digits_power((double)at.excess * d.per - 0.5) : 1.0;
}

FN double digit_unweight(struct digits d, struct digit at) {
    return d.rest ? 0.70710678118654752440 * digits_power(0.5 - (double)at.excess * d.per) : 1.0;
}

#endif
