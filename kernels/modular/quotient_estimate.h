/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Estimates of quotients from the highest words of dividend and divisor. */
#ifndef QUOTIENT_ESTIMATE_H
#define QUOTIENT_ESTIMATE_H

#include "kernels/common/platform.h"

#define QUOTIENT_FRACTION 6 /* fractional bits of quotient_times */

/* Returns floor(t / m), or 1 less, for t = t1 B^n + t0 B^(n-1) + ..., t < B m, and m = m1 B^(n-1) +
 * m0 B^(n-2) + ..., whose highest bit is set; B = 2^32. */
FN u32 quotient_word(u32 t1, u32 t0, u32 m1, u32 m0) {
    const u64 t = (u64)t1 << 32 | t0, m = (u64)m1 + 1, c = t / m;
    /* (t - c m) / B^(n-1) is at most 2 more than rest - less, where m1 < m / B^(n-1) <= m1 + 1 */
    const u64 rest = t - c * m1, less = (c * m0 >> 32) + 1;
    return (u32)(c + (rest > less ? (rest - less) / m : 0u));
}

/* Returns 2^QUOTIENT_FRACTION t / m for t = x - 2 low - 2 high, 0 <= t < 2^25 m, or less than 4
 * less, from the words n - 2 and above: three of x, two of low and high, and above, the word of
 * high above these. m1 is the highest word of m, whose highest bit is set. The omitted words of 2
 * low and 2 high are worth less than 4 units of word n - 2, which are subtracted. So t is less than
 * 2 units of word n - 1 more than its estimate, and t / m1 - t / (m1 + 1) < 2^-6. */
FN u64 quotient_times(GLOBAL const u32 *x, GLOBAL const u32 *low, GLOBAL const u32 *high, u32 above,
                      u32 m1) {
    const s64 a = (s64)x[0] - 2 * (s64)low[0] - 2 * (s64)high[0] - 4;
    const s64 b = (s64)x[1] - 2 * (s64)low[1] - 2 * (s64)high[1] + (a >> 32);
    const u32 top = x[2] - 2 * above + (u32)(b >> 32);
    const u64 t = (u64)top << 32 | (u32)b;
    return top >> 31 ? 0u : (t << QUOTIENT_FRACTION) / ((u64)m1 + 1);
}

/* Returns true if floor(t / m) may be one more than the integer part of quotient_times. */
FN u32 quotient_is_near(u64 times) {
    const u32 one = 1u << QUOTIENT_FRACTION;
    return (times & (one - 1u)) >= one - 4u;
}

/* Sums over i of products u_i v_j of words of u and v, of n words each: for i + j = n - 2 their
 * high halves, below 2^46; for i + j = n - 1; and for i + j = n, modulo 2^32. */
struct columns {
    u64 below, last;
    u32 above;
};

FN void columns_add(struct columns *c, GLOBAL const u32 *u, GLOBAL const u32 *v, u32 n, u32 i) {
    c->below += i < n - 1 ? MULHI32(u[i], v[n - 2 - i]) : 0u;
    c->last += (u64)u[i] * v[n - 1 - i];
    c->above += i ? u[i] * v[n - i] : 0u;
}

/* Returns word n of u v, from all columns and from word n - 1. The carry into column n - 1 is at
 * least c.below, and less than 2 n more: the low halves of column n - 2 are worth less than n, and
 * so is the carry into it. So the carry's lowest word, which follows from word n - 1, determines
 * the carry. */
FN u32 columns_word(struct columns c, u32 word) {
    const u32 carry = word - (u32)c.last;
    const u64 sum = c.last + c.below + (carry - (u32)c.below);
    return (u32)(sum >> 32) + c.above;
}

#endif
