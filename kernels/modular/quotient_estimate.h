/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Estimates of quotients from the highest words of dividend and divisor, and one word of a product
 * whose lower words are known. B = 2^32. */
#ifndef QUOTIENT_ESTIMATE_H
#define QUOTIENT_ESTIMATE_H

#include "kernels/common/platform.h"

/* An estimate c of a quotient, rounded down: the quotient is c, or, if is_near, either c or c +
 * 1. */
struct quotient {
    u32 c, is_near;
};

/* Estimates the quotient of t and m from their highest words, with B = 2^32: t = t1 B^n + t0
 * B^(n-1) + ..., m = m1 B^(n-1) + m0 B^(n-2) + .... t must be below B m, and m1 must have its
 * highest bit set. */
FN struct quotient quotient_word(u32 t1, u32 t0, u32 m1, u32 m0) {
    const u64 t = (u64)t1 << 32 | t0, m = (u64)m1 + 1, c = t / m;
    /* c is an estimate of the quotient, and D is the whole divisor. (t - c D) / B^(n-1) exceeds
     * `rest` by less than 3, and `rest` is at most 4 m. m = m1 + 1 replaces D / B^(n-1) in rest /
     * m, which changes the remainder by at most 5. So the new estimate is too small by 1 only if
     * rest % m + 8 >= m. */
    const u64 high = t - c * m1, less = (c * m0 >> 32) + 2, rest = high > less ? high - less : 0u;
    const struct quotient q = {(u32)(c + rest / m), rest % m + 8 >= m};
    return q;
}

/* Estimates the quotient of t by a number m of n words, where t = x - 2 low - 2 high and 0 <= t <
 * 2^25 m. The pointers x, low and high point to word n - 2 of their numbers. Three words of x are
 * read, and two of the others. `above` is word n of high. m1, word n - 1 of m, must have its
 * highest bit set. */
FN struct quotient quotient_times(GLOBAL const u32 *x, GLOBAL const u32 *low,
                                  GLOBAL const u32 *high, u32 above, u32 m1) {
    /* Computes the words {top, b} of t from word n - 1 on. The words of low and high below word n -
     * 2 are not read. Twice their sum is less than 4 units of word n - 2, so 4 units are
     * subtracted. Then t exceeds {top, b} by less than 2 units of word n - 1. */
    const s64 a = (s64)x[0] - 2 * (s64)low[0] - 2 * (s64)high[0] - 4;
    const s64 b = (s64)x[1] - 2 * (s64)low[1] - 2 * (s64)high[1] + (a >> 32);
    const u32 top = x[2] - 2 * above + (u32)(b >> 32);
    /* t / m1 - t / (m1 + 1) is below 2^-6. So the exact quotient, in units of 2^-6, exceeds `times`
     * by less than 4. */
    const u64 t = (u64)top << 32 | (u32)b, times = top >> 31 ? 0u : (t << 6) / ((u64)m1 + 1);
    const struct quotient q = {(u32)(times >> 6), (times & 63u) >= 60u};
    return q;
}

/* Sums of parts of the products u_i v_j, for numbers u and v of n words:
 * - below: the sum of the high halves of the products with i + j = n - 2
 * - last: the sum of the products with i + j = n - 1
 * - above: the sum of the products with i + j = n, modulo B = 2^32 */
struct columns {
    u64 below, last;
    u32 above;
};

FN void columns_add(struct columns *c, GLOBAL const u32 *u, GLOBAL const u32 *v, u32 n, u32 i) {
    c->below += i < n - 1 ? MULHI32(u[i], v[n - 2 - i]) : 0u;
    c->last += (u64)u[i] * v[n - 1 - i];
    c->above += i ? u[i] * v[n - i] : 0u;
}

/* Returns word n of u v. `word` is word n - 1 of u v. c has the sums over all i.
 *
 * The carry into column n - 1 is c.below plus less than 2 n: the low halves of column n - 2 add
 * less than n, and the carry into column n - 2 adds less than n. So the carry follows from c.below
 * and from its value modulo B = 2^32. This value is word - c.last. */
FN u32 columns_word(struct columns c, u32 word) {
    const u32 carry = word - (u32)c.last;
    const u64 sum = c.last + c.below + (carry - (u32)c.below);
    return (u32)(sum >> 32) + c.above;
}

#endif
