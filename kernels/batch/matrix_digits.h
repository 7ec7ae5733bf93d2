/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of numbers by matrix units: digits are bytes, a row of 32 work-items multiplies.
 *
 * Let A(x) be the matrix of 16 by 32 bytes whose place (i, k) is digit 16 x + i - k of u, 0 if u
 * has none.  Let B(s) be the matrix of 32 by 8 bytes whose place (k, n) is digit 32 (n + 8 s) + k
 * of v.  Let D(q) be the sum of A(q - 16 s) B(s) over s.  Its place (i, n) is the contribution to
 * digit 16 (q + 2 n) + i of the product from column n of all B(s).  So block p of 16 digits is the
 * sum of column n of D(p - 2 n) over the eight n.  Two chains, of even and of odd q, gather blocks
 * in their sums.
 *
 * The right half of A(x + 1) is the left half of A(x), so a step loads two halves and multiplies
 * twice.  a[0], a[1] are the half of x; a[2], a[3] are the half of x + 1, or of x - 1 before they
 * are loaded.  Halves may change their places if the halves of B do.
 *
 * A digit of the product is a sum of products below 2^16, one for each digit of u: 2^13 digits keep
 * it below 2^29. */
#ifndef MATRIX_DIGITS_H
#define MATRIX_DIGITS_H

#include "kernels/batch/batch.h"
#include "kernels/batch/batch_row.h"
#include "kernels/common/matrix.h"

#define ROW 32
#define SUMS 128 /* digits whose sums become words at once, one a work-item */

#if defined(MATRIX_UNITS)

/* Returns the place at which work-item `lane` of the row begins in the copies of copy_bytes. */
FN LOCAL const u32 *copy_of(LOCAL const u32 *copies, u32 stride, u32 below, u32 lane) {
    return copies + lane / 4 % 4 * stride + below + lane / 16 - lane % 4;
}

/* Word f of copy c holds digits 4 f + c, 4 f + c - 1, ..., 4 f + c - 3 of {u, words}.  So any four
 * consecutive digits, downwards, are one word of one of the four copies.  `below` words of zeros
 * come before word 0, and zeros fill the stride behind the last word.  Work-item `item` of `items`
 * writes its part. */
FN void copy_bytes(LOCAL u32 *copies, u32 stride, u32 below, GLOBAL const u32 *u, u32 words,
                   u32 item, u32 items) {
    GLOBAL const u32 *from = u + item - below;
    UNROLL
    for (u32 i = 0; i < stride; i += items) {
        u32 f = item - below + i; /* wraps below 0 */
        u32 high = f < words ? from[i] : 0u, low = f - 1 < words ? (from - 1)[i] : 0u;
        UNROLL
        for (u32 c = 0; c < 4; c++)
            if (i + items <= stride || i + item < stride)
                copies[c * stride + i + item] = bytes_of(low, high, 0x1234u + c * 0x1111u);
    }
}

/* even += A(x) B, odd += A(x + 1) B; b is B, and its halves exchanged. */
FN void multiply_step(u32 *even, u32 *odd, u32 *a, const u32 *b, LOCAL const u32 *at) {
    a[0] = at[0];
    a[1] = at[2];
    matrix_multiply_add(even, a, b);
    a[2] = at[4];
    a[3] = at[6];
    matrix_multiply_add(odd, a, b + 2);
}

/* What goes from 32 words to the next: above the last word, and its carry. */
struct onward {
    u32 over, carry;
};

/* This work-item's of 32 words: c are the sums of its four digits, each below 2^31. */
FN u32 settle_row(const u32 *c, struct onward *o, u32 lane) {
    u64 t = (u64)c[0] + ((u64)c[1] << 8) + ((u64)c[2] << 16) + ((u64)c[3] << 24);
    u32 over = (u32)(t >> 32), below = shuffle_up(over, ROW);
    t = (u64)(u32)t + (lane ? below : o->over);
    u32 x = (u32)t, p = ROW_BALLOT(x == ~0u);
    u64 entering = (u64)ROW_BALLOT((u32)(t >> 32)) << 1 | o->carry, sum = p + entering;
    o->over = shuffle_from(over, ROW - 1, ROW);
    o->carry = (u32)(sum >> 32);
    return x + (((u32)sum ^ p) >> lane & 1u);
}

#endif

#endif
