/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of Bernstein and Yang (Fast constant-time gcd computation and modular inversion, 2019,
 * https://gcd.cr.yp.to/papers.html#safegcd), 28 at a time: the lowest digits alone determine them.
 * delta begins with 1/2; here it is doubled. */
#ifndef DIVSTEPS_H
#define DIVSTEPS_H

#include "kernels/modular/digits.h"
#include "kernels/modular/tracking.h"

/* 2^28 times the new f is a f + b g, and of the new g c f + d g; |a| + |b| <= 2^28, |c| + |d| too.
 */
struct jump {
    s32 a, b, c, d;
};

/* x if the mask is 0, -x if it is ~0. */
#define NEGATE_IF(mask, x) (((x) ^ (mask)) - (mask))
#define SELECT(mask, yes, no) ((no) ^ (((no) ^ (yes)) & (mask)))

/* Computes 28 steps from 28 bits of f, odd, and of g. */
FN struct jump divsteps(u32 f, u32 g, s32 *delta) {
    u32 a = 1, b = 0, c = 0, d = 1, t = (u32)*delta;
    for (int i = 0; i < DIGIT_BITS; i += 7) {
        UNROLL_HERE
        for (int k = 0; k < 7; k++) {
            u32 odd = 0u - (g & 1u), swap = (s32)t > 0 ? odd : 0u;
            u32 new_f = SELECT(swap, g, f), new_a = SELECT(swap, c, a), new_b = SELECT(swap, d, b);
            g = (g + (NEGATE_IF(swap, f) & odd)) >> 1;
            c += NEGATE_IF(swap, a) & odd;
            d += NEGATE_IF(swap, b) & odd;
            f = new_f;
            a = new_a << 1;
            b = new_b << 1;
            t = NEGATE_IF(swap, t) + 2;
        }
    }
    *delta = (s32)t;
    struct jump j;
    j.a = (s32)a, j.b = (s32)b, j.c = (s32)c, j.d = (s32)d;
    return j;
}

/* 1/m modulo 2^32, m odd. */
FN u32 odd_inverse(u32 m) {
    u32 x = 3u * m ^ 2u; /* right modulo 2^5 */
    x *= 2u - m * x;
    x *= 2u - m * x;
    return x * (2u - m * x);
}

/* The output of a work-item's digits: the lowest digit, which moves to the work-item below, and a
 * carry. */
struct leaves {
    u32 low;
    s32 carry;
};

/* Replaces x by (a x + b y) / 2^28, digit by digit, without the exchange in the team. */
#define COMBINE_STEP(x, sum, low, i)                                                               \
    do {                                                                                           \
        u32 digit_ = (u32)(sum)&DIGIT_MASK;                                                        \
        if ((i) == 0)                                                                              \
            (low) = digit_;                                                                        \
        else                                                                                       \
            (x)[(i)-1] = digit_;                                                                   \
        (sum) >>= DIGIT_BITS;                                                                      \
    } while (0)

FN void combine(u32 *f, u32 *g, struct team t, struct jump j, struct leaves *of_f,
                struct leaves *of_g) {
    s64 sf = 0, sg = 0;
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++) {
        s64 x = (s32)f[i], y = (s32)g[i];
        sf += j.a * x + j.b * y;
        sg += j.c * x + j.d * y;
        COMBINE_STEP(f, sf, of_f->low, i);
        COMBINE_STEP(g, sg, of_g->low, i);
    }
    of_f->carry = (s32)sf;
    of_g->carry = (s32)sg;
}

/* Combines f and g as the function above does. Also adds p m to the first number and q m to the
 * second, so that both are multiples of 2^28. */
FN void combine_modulo(u32 *f, u32 *g, struct team t, struct jump j, s32 p, s32 q, const u32 *m,
                       struct leaves *of_f, struct leaves *of_g) {
    s64 sf = 0, sg = 0;
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++) {
        s64 x = (s32)f[i], y = (s32)g[i], z = (s32)m[i];
        sf += j.a * x + j.b * y + p * z;
        sg += j.c * x + j.d * y + q * z;
        COMBINE_STEP(f, sf, of_f->low, i);
        COMBINE_STEP(g, sg, of_g->low, i);
    }
    of_f->carry = (s32)sf;
    of_g->carry = (s32)sg;
}

/* The ends of x after that: what came from above, and what goes to the digits above. */
FN u32 close_top(u32 *x, struct team t, u32 above, s32 carry) {
    s32 top = (s32)above + carry;
    x[COUNT(t) - 1] = t.is_top ? (u32)top : (u32)top & DIGIT_MASK;
    return t.is_top ? 0u : (u32)(top >> DIGIT_BITS);
}

/* The team's exchange after `combine`, for 2 or 4 numbers x[k].  lows[k] becomes the lowest digit
 * of each number. */
#define EXCHANGE(t, x, leave, lows, numbers)                                                       \
    do {                                                                                           \
        u32 post_[numbers], next_[numbers], unused_[numbers];                                      \
        UNROLL_HERE                                                                                \
        for (int k_ = 0; k_ < (numbers); k_++)                                                     \
            post_[k_] = (t).lane == 0 ? (x)[k_][0] : (leave)[k_].low;                              \
        team_from_above(t, 0, post_, next_, lows, numbers);                                        \
        UNROLL_HERE                                                                                \
        for (int k_ = 0; k_ < (numbers); k_++)                                                     \
            post_[k_] = close_top((x)[k_], t, next_[k_], (leave)[k_].carry);                       \
        team_from_below(t, 1, post_, next_, unused_, numbers);                                     \
        UNROLL_HERE                                                                                \
        for (int k_ = 0; k_ < (numbers); k_++)                                                     \
            (x)[k_][0] += next_[k_];                                                               \
    } while (0)

/* The rows of the steps' matrix, times 2^(-28 jumps). */
FN void residue_matrix_jump(u64 *p, struct jump j, u64 m, u64 minv) {
    UNROLL_HERE
    for (int k = 0; k < 2; k++) {
        u64 x = p[k], y = p[k + 2];
        p[k] = residue_jump(j.a, x, j.b, y, 0, m, minv);
        p[k + 2] = residue_jump(j.c, x, j.d, y, 0, m, minv);
    }
}

#endif
