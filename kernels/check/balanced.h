/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The balanced digits of 16 bits (lib/fft/convolution.h) of a number of n limbs modulo B^n -+ 1,
 * for the check of what wraps round: digit 4 n, which is 0 or 1, is added to digit 0 or, modulo B^n
 * + 1, subtracted from it. */
#ifndef BALANCED_H
#define BALANCED_H

#include "kernels/common/platform.h"

#define BALANCED_DIGITS 4 /* of a limb */

/* Four digits, and the limb that they represent; 8 m is added if it is negative, where m is between
 * 2^60 and 2^61. */
struct balanced_limb {
    u64 word;
    s32 digit[BALANCED_DIGITS];
};

/* Converts a limb; `below`, -1 to 1, is the carry from the digit below. */
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

/* What wraps round of the product of limb i of one number by limb n - 1 - i of the other: their
 * digits' products u_s v_q 2^(16 (s + q - 4)), s + q >= 4, as above a number modulo m. */
FN u64 balanced_wrapped(const s32 *u, const s32 *v, u64 m) {
    s64 sum = (s64)u[3] * v[3];
    sum = sum * 65536 + (s64)u[2] * v[3] + (s64)u[3] * v[2];
    sum = sum * 65536 + (s64)u[1] * v[3] + (s64)u[2] * v[2] + (s64)u[3] * v[1];
    return (u64)sum + (sum < 0 ? 8 * m : 0);
}

#endif
