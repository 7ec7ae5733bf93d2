/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes square roots by Newton's iteration. lib/calc/calc_newton.h defines rho, B and m; s_h
 * is the approximation of rho B^h with h quads.
 *
 * Let a be n shifted up by twice the plan's shift. It has 2m quads, is at least B^(2m) / 4, and
 * its root is rho B^m.
 *
 * Steps. A step from h to k quads starts from s_h with 0 <= rho B^h - s_h < 3. Let A be the 2h
 * highest quads of a. The difference
 *
 *     D = A - s_h^2,    0 <= D < 6 B^h,
 *
 * has h + 1 quads. The step needs D, or D without its lowest quad. The square may be computed
 * modulo B^w - 1, w >= h + 2; then the step gets D - 1, D or D + 1. This suffices: such a step
 * starts from an s_h that is too small by more than 1/2, so that D > B^h / 8.
 *
 * End. s' = floor(s_m / 2^shift) is the root or 1 less, since s_m is not too large, and too small
 * by less than 3 < 2^shift. So the remainder R = n - s'^2 <= 4 s' has m quads. If R >= 2s' + 1,
 * the code subtracts 2s' + 1 from R, and adds 1 to s'.
 *
 * The square s'^2 may be computed modulo B^w - 1, w >= m; then the result is R - 1, R or R + 1.
 * The lowest quads of n and s'^2 determine which of these it is, and R is corrected. */
#include "lib/calc/calc_sqrt.h"

#include "lib/calc/calc_check.h"

/* Thresholds in quads (128 bits each). Above them a square modulo a number 2^k - 1 saves more time
 * than its additional launches cost: a sum and a difference in a step, eleven launches at the end.
 */
enum { WRAPS_IN_STEP = 4096, WRAPS_AT_END = 24000 };

/* Sets r to the lowest r.words words of u - s^2. Returns true if it computed s^2 modulo a number
 * 2^k - 1: r may then be wrong by 1 in either direction. */
static bool subtract_square(struct calc *c, struct number r, struct number u, struct number s,
                            bool may_wrap, uint64_t least) {
    uint64_t mark = calc_mark(c), full = 2 * s.words;
    struct number square = calc_mul_wrapped(c, may_wrap ? CALC_QUAD * least : full, s, s);
    bool wraps = square.words < full;
    calc_sub(c, r, number_part(u, 0, r.words), number_part(square, 0, r.words));
    if (wraps)
        calc_add(c, r, r, number_part(u, square.words, r.words));
    calc_drop(c, mark);
    return wraps;
}

/* Improves the approximation s to k quads (128 bits each). Also improves z, which approximates the
 * reciprocal of 2 s, unless this is the last step. */
static void step(struct calc *c, const struct calc_newton *x, struct number a, uint64_t k,
                 bool is_last) {
    uint64_t mark = calc_mark(c), h = calc_newton_half(k);
    struct number d = calc_take(c, CALC_QUAD * (h + 1));
    subtract_square(c, d, calc_top(a, 2 * h), calc_top(x->s, h), h >= WRAPS_IN_STEP, h + 2);
    calc_newton_root(c, x, calc_middle(d, 2 * h - 1 - k, calc_newton_quads(k)), k,
                     k >= WRAPS_IN_STEP && !is_last);
    if (!is_last) /* calc_newton_inverse gets s instead of 2 s, so the exponent that it gets is 1
                   * less */
        calc_newton_inverse(c, x, calc_top(x->s, k), CALC_QUAD_BITS * (h - 1) - 1, k);
    calc_drop(c, mark);
}

static void iterate(struct calc *c, const struct calc_newton *x, struct number a,
                    const struct calc_root_plan *plan, uint64_t k) {
    if (k == plan->first)
        return;
    iterate(c, x, a, plan, calc_newton_half(k));
    step(c, x, a, k, k == plan->m);
}

/* Corrects r, which is n - s^2 or differs from it by 1. The lowest quads (128 bits each) of n and
 * s^2 show which. */
static void correct_rest(struct calc *c, struct number r, struct number n, struct number s) {
    uint64_t mark = calc_mark(c);
    struct number square = calc_take(c, 2 * CALC_QUAD), low = calc_take(c, CALC_QUAD);
    calc_mul(c, square, calc_middle(s, 0, 1), calc_middle(s, 0, 1));
    calc_sub(c, r, r, calc_one(c));
    calc_sub(c, low, calc_middle(n, 0, 1), calc_middle(square, 0, 1));
    calc_sub(c, low, low, calc_middle(r, 0, 1));
    calc_add(c, r, r, low);
    calc_drop(c, mark);
}

/* Computes t = 2s + 1: inverts all bits of s, shifts, and inverts again. The highest bit of s is
 * not set. */
static void twice_and_one(struct calc *c, struct number t, struct number s) {
    uint64_t mark = calc_mark(c);
    struct number inverse = calc_take(c, s.words);
    calc_shift(c, inverse, s, 0, true);
    calc_shift(c, t, inverse, -1, true);
    calc_drop(c, mark);
}

/* Computes the remainder r = n - s^2. If s was too small by 1, adds 1 to s. Makes the operation
 * fail unless the check confirms s and r. */
static void finish(struct calc *c, struct number s, struct number r, struct number n) {
    uint64_t mark = calc_mark(c);
    struct number twice = calc_take(c, s.words);
    calc_need(c, n);
    uint64_t m = s.words / CALC_QUAD;
    if (subtract_square(c, r, n, s, m >= WRAPS_AT_END, m))
        correct_rest(c, r, n, s);
    twice_and_one(c, twice, s);
    calc_add(c, s, s, calc_reduce(c, r, r, twice));
    twice_and_one(c, twice, s);
    calc_demand_less(c, r, twice);
    calc_demand_rest(c, n, s, s, r);
    calc_drop(c, mark);
}

/* Returns the index of the lowest quad (128 bits) of n that Newton's iteration reads. The last
 * step reads two quads more than s has. They are counted from the top of n shifted up by less
 * than three quads. */
uint64_t calc_sqrt_high(const struct calc_root_plan *plan) {
    const uint64_t below = 6;
    return plan->m > below ? plan->m - below : 0;
}

void calc_sqrtrem(struct calc *c, const struct calc_root_plan *plan, struct number s,
                  struct number r, struct number n, struct number first) {
    uint64_t mark = calc_mark(c), from = CALC_QUAD * calc_sqrt_high(plan);
    struct number a = calc_take(c, n.words - from);
    struct calc_newton x;
    calc_newton_begin(c, &x, plan, first);
    calc_shift(c, a, number_part(n, from, n.words), -2 * plan->shift, false);
    iterate(c, &x, a, plan, plan->m);
    calc_shift(c, s, x.s, plan->shift, false);
    calc_drop(c, mark);
    finish(c, s, r, n);
}
