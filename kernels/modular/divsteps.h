/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division steps of Bernstein and Yang (Fast constant-time gcd computation and modular inversion,
 * 2019, https://gcd.cr.yp.to/papers.html#safegcd). A jump is 28 steps, which depend only on the
 * lowest digits of f and g. delta here is twice the paper's delta, and begins with 1 instead of
 * 2. */
#ifndef DIVSTEPS_H
#define DIVSTEPS_H

#include "kernels/modular/digits.h"
#include "kernels/modular/tracking.h"

/* A jump as a matrix. 2^28 times the new f is a f + b g; 2^28 times the new g is c f + d g. |a| +
 * |b| and |c| + |d| are at most 2^28. */
struct jump {
    s32 a, b, c, d;
};

/* Returns x if `mask` is 0, -x if it is ~0. */
#define NEGATE_IF(mask, x) (((x) ^ (mask)) - (mask))
#define SELECT(mask, yes, no) ((no) ^ (((no) ^ (yes)) & (mask)))

/* The state of division steps on one digit: f and g, a matrix of their steps, and delta. */
struct steps {
    u32 f, g, a, b, c, d, delta;
};

FN struct steps divstep(struct steps s) {
    const u32 odd = 0u - (s.g & 1u), swap = (s32)s.delta > 0 ? odd : 0u;
    struct steps n;
    n.f = SELECT(swap, s.g, s.f);
    n.a = SELECT(swap, s.c, s.a) << 1;
    n.b = SELECT(swap, s.d, s.b) << 1;
    n.g = (s.g + (NEGATE_IF(swap, s.f) & odd)) >> 1;
    n.c = s.c + (NEGATE_IF(swap, s.a) & odd);
    n.d = s.d + (NEGATE_IF(swap, s.b) & odd);
    n.delta = NEGATE_IF(swap, s.delta) + 2;
    return n;
}

/* Computes a jump from the lowest 28 bits of f, which is odd, and of g. Updates *delta. */
FN struct jump divsteps(u32 f, u32 g, s32 *delta) {
    struct steps s = {f, g, 1, 0, 0, 1, (u32)*delta};
    struct jump j;
    for (int i = 0; i < DIGIT_BITS; i += 7) {
        UNROLL_HERE
        for (int k = 0; k < 7; k++)
            s = divstep(s);
    }
    *delta = (s32)s.delta;
    j.a = (s32)s.a, j.b = (s32)s.b, j.c = (s32)s.c, j.d = (s32)s.d;
    return j;
}

/* Returns 1/m modulo 2^32, for an odd m. */
/*@ assigns \nothing; */
FN u32 odd_inverse(u32 m) {
    u32 x = 3u * m ^ 2u; /* right modulo 2^5 */
    x *= 2u - m * x;
    x *= 2u - m * x;
    return x * (2u - m * x);
}

/* What leaves a work-item's digits when they are divided by 2^28: the lowest digit, which moves to
 * the work-item below, and a carry. */
struct leaves {
    u32 low;
    s32 carry;
};

/* Stores one digit of a linear combination of f and g, divided by 2^28: the digit moves one place
 * down in x. EXCHANGE passes the lowest digits and the carries to the other work-items that share
 * the number. */
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

/* Applies jump j (struct jump) to f and g modulo m: replaces them by two linear combinations of f
 * and g, divided by 2^28. Before the division, adds p m to the first combination and q m to the
 * second. The caller chooses p and q so that both sums are multiples of 2^28. */
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

/* Sets the highest digit of x to the digit `above` from the work-item above, plus the carry.
 * Returns the carry for the work-item above. */
FN u32 close_top(u32 *x, struct team t, u32 above, s32 carry) {
    s32 top = (s32)above + carry;
    x[COUNT(t) - 1] = t.is_top ? (u32)top : (u32)top & DIGIT_MASK;
    return t.is_top ? 0u : (u32)(top >> DIGIT_BITS);
}

/* To be called after combine or combine_modulo: exchanges digits and carries between the work-items
 * that share the numbers x[k], k < `numbers` (2 or 4). Sets lows[k] to the lowest digit of number
 * k. */
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

/* Sets low[k] to the lowest digit of number x[k], which is below 2^28, in all work-items of the
 * team. */
#define FIRST_DIGITS(t, x, low, numbers)                                                           \
    do {                                                                                           \
        u32 post_[numbers], unused_[numbers];                                                      \
        UNROLL_HERE                                                                                \
        for (int k_ = 0; k_ < (numbers); k_++)                                                     \
            post_[k_] = (x)[k_][0];                                                                \
        team_from_above(t, 1, post_, unused_, low, numbers);                                       \
    } while (0)

/* Applies jump j to the matrix of all jumps so far: multiplies it by the matrix of j, divided by
 * 2^28. The entries at p are residues modulo m. */
FN void residue_matrix_jump(u64 *p, struct jump j, u64 m, u64 minv) {
    UNROLL_HERE
    for (int k = 0; k < 2; k++) {
        u64 x = p[k], y = p[k + 2];
        p[k] = residue_jump(j.a, x, j.b, y, 0, m, minv);
        p[k + 2] = residue_jump(j.c, x, j.d, y, 0, m, minv);
    }
}

#endif
