/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Applies jumps (divsteps.h) to residues modulo the check's modulus (kernels/check/residue.h). */
#ifndef TRACKING_H
#define TRACKING_H

#include "kernels/common/platform.h"
#include "kernels/modular/euclid.h"

/* Adds x y modulo m to the sum low + high 2^32, for y <= m. */
/*@ requires \valid(low) && \valid(high) && \separated(low, high) && y <= m;
    assigns *low, *high; */
FN void residue_signed(u64 *low, u64 *high, s32 x, u64 y, u64 m) {
    u32 size = x < 0 ? 0u - (u32)x : (u32)x;
    u64 z = x < 0 ? m - y : y;
    *low += (u64)size * (u32)z;
    *high += (u64)size * (u32)(z >> 32);
}

/* Returns (low + high 2^32) / 2^28 modulo m, at most m. The sum must be less than 3 2^27 m. */
FN u64 residue_divide(u64 low, u64 high, u64 m, u64 minv) {
    u32 q = (u32)low * (u32)minv & DIGIT_MASK;
    s64 r = (s64)(low - (u64)q * (u32)m) >> DIGIT_BITS;
    r += (s64)(high - (u64)q * (u32)(m >> 32)) * (1 << (32 - DIGIT_BITS));
    r = r < 0 ? r + (s64)m : r;
    return (u64)r > m ? (u64)r - m : (u64)r;
}

/* Returns (a x + b y + z) / 2^28 modulo m, at most m. */
FN u64 residue_jump(s32 a, u64 x, s32 b, u64 y, s32 z, u64 m, u64 minv) {
    u64 low = 0, high = 0;
    residue_signed(&low, &high, a, x, m);
    residue_signed(&low, &high, b, y, m);
    residue_signed(&low, &high, z, 1, m);
    return residue_divide(low, high, m, minv);
}

#endif
