/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes N - q d from N and a product P that is q d modulo B^w - 1, B = 2^32, for 0 <= N - q d <
 * B^w - 1.
 *
 * Let N = low + B^w high < B^(2w-1). Then N - q d is low + high - P + k (B^w - 1) for a k of -1 to
 * 1. Only its lowest words are needed: low + high - P - k. The lowest word, N - q d modulo B,
 * determines k.
 *
 * A carry-save step reduces the three numbers to two: their sums without carries, and their
 * carries, shifted up by a bit. -P is ~P + 1. */
#include "kernels/common/carry.h"

/* Returns the carries of adding three words bit by bit: bit i is set if at least two of the words
 * have bit i set. */
FN u32 majority(u32 x, u32 y, u32 z) {
    return (x & y) | (z & (x | y));
}

/* Sets {r, words} to the lowest words of N - q d, without carries between chunks. Groups along x
 * take chunks of CARRY_CHUNK words. low and p have at least `words` words; high is extended with
 * zeros. r overlaps no operand. The offsets are multiples of 4 words. */
KERNEL(CARRY_THREADS)
remainder_make(GLOBAL u32 *RESTRICT r, u64 r_at, u64 words, GLOBAL const u32 *low, u64 low_at,
               GLOBAL const u32 *high, u64 high_at, u64 high_words, GLOBAL const u32 *p, u64 p_at,
               GLOBAL const u32 *q, u64 q_at, GLOBAL const u32 *d, u64 d_at,
               GLOBAL u32 *chunk_flags) {
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 at = ((u64)GROUP_X * CARRY_THREADS + LOCAL_ID) * SPAN;
    u64 left = at < words ? words - at : 0, high_left = at < high_words ? high_words - at : 0;
    u32 x[SPAN], y[SPAN], z[SPAN], below = 0, carry = 0;
    span_load(x, low + low_at + at, left, 1, 0u);
    span_load(y, high + high_at + at, high_left, 1, 0u);
    span_load(z, p + p_at + at, left, 1, 0u);
    if (at > 0 && left > 0)
        below = majority(low[low_at + at - 1], at <= high_words ? high[high_at + at - 1] : 0u,
                         ~p[p_at + at - 1]);
    /* The result needs an added number from 0 to 2 (1 - k; the file's first comment defines k).
     * It is computed here as `in`. The first work-item adds a first 1 as the lowest bit of y, and
     * a second 1 as the carry in. */
    if (at == 0) {
        u32 in = x[0] - q[q_at] * d[d_at] - (x[0] + y[0] + ~z[0]);
        below = in > 0 ? 1u << 31 : 0u;
        carry = in == 2;
    }
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        u32 above = majority(x[i], y[i], ~z[i]);
        x[i] = x[i] ^ y[i] ^ ~z[i];
        y[i] = above << 1 | below >> 31;
        below = above;
    }
    u32 flag = span_add_carry(x, y, carry);
    span_finish(r + r_at + at, left, x, flag, 0, flags, rows, chunk_flags);
}
