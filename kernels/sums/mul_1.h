/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by one limb v without carry propagation. Each limb gives t[i] = u[i] v + w[i] < 2^128.
 * So w + u v is the sum of two numbers: one consists of the low limbs of t, the other of the high
 * limbs, one limb higher. The carries of this sum are 0 or 1.
 *
 * Differences: w - u v = w + ~u v + v modulo B^n, for n limbs and ~u = B^n - 1 - u. So the code
 * computes w + u v with ~u in place of u. It adds v to the lowest limb, like a high limb from
 * below. */
#ifndef MUL_1_H
#define MUL_1_H

#include "kernels/common/platform.h"

FN u64 limb_of(const u32 *x) {
    return (u64)x[1] << 32 | x[0];
}

/* Returns the high limb of u v + w, and the low limb in *low. */
FN u64 mul_add_limb(u64 u, u64 v, u64 w, u64 *low) {
    *low = u * v + w;
    return MULHI64(u, v) + (u64)(*low < w);
}

/* Computes a v + b for each 64-bit limb a of {u, n} and the limb b of w at the same place. x gets
 * the low limbs of the results. y gets the high limbs, one limb higher: y's lowest limb is
 * `high`, and the last high limb is not stored. x may be w. n is in words, a multiple of 2. */
FN void mul_1_span(u32 *x, u32 *y, const u32 *u, u64 v, const u32 *w, u64 high, int n) {
    UNROLL
    for (int i = 0; i < n; i += 2) {
        u64 low;
        y[i] = (u32)high, y[i + 1] = (u32)(high >> 32);
        high = mul_add_limb(limb_of(u + i), v, limb_of(w + i), &low);
        x[i] = (u32)low, x[i + 1] = (u32)(low >> 32);
    }
}

#endif
