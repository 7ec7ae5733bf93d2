/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries between work-items that each have MATRIX_EACH consecutive words of a number. */
#ifndef MATRIX_PASSING_H
#define MATRIX_PASSING_H

#include "kernels/common/platform.h"
#include "kernels/matrix/matrix.h"

/* How MATRIX_EACH consecutive words of a number pass on a carry from below. Bit 0 of `state` is set
 * if all words but the lowest are all ones, bit 1 if all words but the lowest are 0. */
struct passing {
    u32 low, state;
    s32 over;
};

/* Returns the carry out of the words after the carry c was added to them. Carries are signed, below
 * 2^31 in magnitude. */
FN s64 carry_through(struct passing t, s64 c) {
    const s64 up = (s64)(t.low + (u64)c) >> 32;
    return t.over + (up > 0 ? (s64)(t.state & 1u) : up < 0 ? -(s64)(t.state >> 1) : 0);
}

/* Resolves the carries between MATRIX_EACH signed sums, below 2^62 in magnitude, and sets x to
 * their words. Sets *t, which describes how x passes on a carry from below. */
FN void resolve(u32 *x, const u64 *sums, struct passing *t) {
    s64 carry = 0;
    u32 ones = ~0u, any = 0;
    UNROLL
    for (int i = 0; i < MATRIX_EACH; i++) {
        carry += (s64)sums[i];
        x[i] = (u32)carry;
        carry >>= 32;
        ones &= i ? x[i] : ~0u;
        any |= i ? x[i] : 0u;
    }
    t->low = x[0];
    t->over = (s32)carry;
    t->state = (u32)(ones == ~0u) | (u32)(any == 0) << 1;
}

#endif
