/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies numbers with matrix units: digits are bytes, and a row of 32 work-items computes a
 * product.
 *
 * It uses these matrices:
 * - A(x), 16 by 32 bytes: place (i, k) is digit 16 x + i - k of u, or 0 if u has no such digit.
 * - B(s), 32 by 8 bytes: place (k, n) is digit 32 (n + 8 s) + k of v.
 * - D(q) is the sum over s of A(q - 16 s) B(s). Its place (i, n) contributes to digit 16 (q + 2
 *   n) + i of the product.
 *
 * So 16 digits of the product, block p, are the sum over n = 0 to 7 of column n of D(p - 2 n).
 * Two chains of sums, for even and for odd q, accumulate these blocks.
 *
 * The right half of A(x + 1) is the left half of A(x). So a step loads two left halves: a[0] and
 * a[1] for A(x), a[2] and a[3] for A(x + 1). The step multiplies twice. In the second product,
 * the halves of A(x + 1) are in the wrong order, so the halves of B are exchanged too.
 *
 * A digit of the product is a sum of at most 2^13 products below 2^16, so it is below 2^29. */
#ifndef MATRIX_DIGITS_H
#define MATRIX_DIGITS_H

#include "kernels/batch/batch.h"
#include "kernels/batch/batch_row.h"
#include "kernels/common/matrix.h"

#define ROW 32
#define SUMS 128 /* digits that are converted to words at once; each work-item converts four */

#if defined(MATRIX_UNITS)

/* Returns where work-item `lane` of the row reads its bytes of the matrix A (file's first comment),
 * in the copies that copy_bytes wrote. */
FN LOCAL const u32 *copy_of(LOCAL const u32 *copies, u32 stride, u32 below, u32 lane) {
    return copies + lane / 4 % 4 * stride + below + lane / 16 - lane % 4;
}

/* Stores four copies of {u, words}. Word f of copy c has digits 4 f + c - 3 to 4 f + c of u, the
 * highest in the lowest byte. So any four adjacent digits are one word of a copy. `below` words of
 * zeros precede word 0, and zeros fill the rest of `stride` words. Work-item `item` of `items`
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

/* Adds A(x) B to `even` and A(x + 1) B to `odd`. The file's first comment defines the matrices A
 * and B. b has B twice: as it is, then with its two halves exchanged. */
FN void multiply_step(u32 *even, u32 *odd, u32 *a, const u32 *b, LOCAL const u32 *at) {
    a[0] = at[0];
    a[1] = at[2];
    matrix_multiply_add(even, a, b);
    a[2] = at[4];
    a[3] = at[6];
    matrix_multiply_add(odd, a, b + 2);
}

/* A number is computed 32 words at a time. This is what one step passes to the next: the sum's
 * excess above the 32 words, and the carry. */
struct onward {
    u32 over, carry;
};

/* Resolves the carries of 32 words, one in each work-item of the row. c has the sums of the word's
 * four digits, each below 2^31. *o is passed from one call to the next. Returns this work-item's
 * word. */
FN u32 resolve_row(const u32 *c, struct onward *o, u32 lane) {
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
