/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Balanced digits of 16 bits (lib/fft/convolution.h) of a number of n limbs modulo B^n - 1 or B^n +
 * 1, for the check of a product's wrapped part. The carry out of the highest digit, 0 or 1, is
 * added to digit 0, or subtracted modulo B^n + 1. */
#ifndef BALANCED_H
#define BALANCED_H

#include "kernels/common/platform.h"

#define BALANCED_DIGITS 4 /* balanced digits of a limb */

/* A limb as four balanced digits, and their value modulo 2^64, plus 8 m if the value is negative
 * (2^60 < m < 2^61). */
struct balanced_limb {
    u64 word;
    s32 digit[BALANCED_DIGITS];
};

/* Converts a limb to balanced digits. `below`, -1 to 1, is the carry from the digit below the
 * limb. */
FN struct balanced_limb balanced_limb(u64 limb, s32 below, u64 m) {
    struct balanced_limb b;
    b.word = limb + (u64)(s64)below;
    b.word += limb >> 63 || (limb == 0 && below < 0) ? 8 * m : 0;
    UNROLL
    for (int i = 0; i < BALANCED_DIGITS; i++) {
        s32 piece = (s32)(limb >> 16 * i & 0xffff), over = piece >> 15;
        b.digit[i] = piece - (over << 16) + below;
        below = over;
    }
    return b;
}

/* Returns the part of a product that wraps around: of limb i of one number times limb n - 1 - i of
 * the other. It is the sum of u_s v_q 2^(16 (s + q - 4)) over digits with s + q >= 4, plus 8 m if
 * it is negative. */
FN u64 balanced_wrapped(const s32 *u, const s32 *v, u64 m) {
    s64 sum = (s64)u[3] * v[3];
    sum = sum * 65536 + (s64)u[2] * v[3] + (s64)u[3] * v[2];
    sum = sum * 65536 + (s64)u[1] * v[3] + (s64)u[2] * v[2] + (s64)u[3] * v[1];
    return (u64)sum + (sum < 0 ? 8 * m : 0);
}

#endif
