/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Newton's iteration for a root and the reciprocal of its power's derivative, with a proof of the
 * bounds in calc_newton.h. As there, B = 2^128, and k <= 64 is the degree of the root.
 *
 * Definitions.
 *
 * - rho is the root. Z = 1 / (k rho^(k-1)) is the reciprocal of the derivative.
 * - A step computes s_n and z_n, of n quads, from s_h and z_h. h is n/2 + 1, rounded down, so 2h >=
 *   n + 1.
 * - sigma = s_h / B^h approximates rho, and zeta = z_h / B^h approximates Z.
 * - rest = (rho^k - sigma^k) B^(n+1) is the error of sigma^k.
 * - p = k (s_n / B^n)^(k-1) is the derivative.
 * - e = (1 - p zeta) B^(n+1) is the error of zeta.
 *
 * The root: a step computes s_n = B^(n-h) s_h + floor(rest z_h / B^(h+1)).
 *
 * - s_n is not too large: rho^k - sigma^k <= k rho^(k-1) (rho - sigma), so sigma + (rho^k -
 *   sigma^k) Z <= rho, and zeta < Z.
 * - s_n is not too small: that sum is below rho by at most (k-1)/2 (rho-sigma)^2 / rho < 2^10 /
 *   B^(2h). zeta is below Z, which lowers s_n by k rho^(k-1) (rho-sigma) 2^(k+4) / B^h < 2^76 /
 *   B^(2h).
 * - `rest` may be too small by up to 2^10. That lowers s_n by less than 2^10 Z / B^(n+1) < 2^73 /
 *   B^(n+1).
 *
 * In units of B^-n the sum of these errors is below 2^-50, and the floor lowers s_n by less than 1.
 * If `less` is set, 1 is subtracted. Then `rest` may also be too large by up to 2^10, and 1/2 < rho
 * B^n - s_n < 3.
 *
 * The reciprocal: a step computes z_n = B^(n-h) z_h + floor(z_h e / B^(h+1)) - C, where C =
 * 2^(k+3).
 *
 * - Without C the limit of z_n / B^n is 1/p. This is no less than Z, and less than Z (1 + (k-1) 6.1
 *   / B^n) <= Z + 3.1 2^k / B^n. The square error p (1/p - zeta)^2 is below 2^6 2^(2k+10) / B^(2h).
 * - p is too small by less than 2k^2 / B^(n+1). That makes e too large by 2k^2 zeta, and the sum by
 *   2k^2 zeta^2 / B^(n+1), where zeta <= 2^(k-1) / k.
 * - e is rounded down, or is 1 too small, at a cost of 2 zeta / B^(n+1).
 *
 * In units of B^-n the sum of these errors is below 2^k. So 2^(k+2) < Z B^n - z_n < 2^(k+4).
 *
 * e is positive: p <= 1/Z, so 1 - p zeta >= (Z - zeta) / Z > 8 k / B^h. Also, 1 - p zeta is below k
 * 2^(k+5) / B^h < 1 / B^(h-1), so the n + 2 - h lowest quads of e contain all of e.
 *
 * The code inverts the bits of p z_h to obtain e.
 *
 * - For a whole product this yields e - 1.
 * - For a product modulo B^w - 1, w >= n + 3, it yields e less a power of B below the last quad
 *   that is kept. e is larger than this power, so the result is positive. */
#include "lib/calc/calc_newton.h"

#include "lib/base/ceil_div.h"

struct calc_root_plan calc_root_plan(uint64_t bits, unsigned long k, uint64_t guard,
                                     uint64_t most) {
    struct calc_root_plan plan = {.k = k, .bits = ceil_div(bits, k)};
    plan.m = ceil_div(plan.bits + guard, CALC_QUAD_BITS);
    plan.shift = (int64_t)(CALC_QUAD_BITS * plan.m - plan.bits);
    plan.first = plan.m;
    while (plan.first > most)
        plan.first = calc_newton_half(plan.first);
    return plan;
}

/* Returns a new number of `quads` quads (128 bits each) with `first` in its highest quads. */
static struct number begin(struct calc *c, struct number first, uint64_t quads) {
    struct number x = calc_take(c, CALC_QUAD * quads);
    calc_zero(c, number_part(x, 0, x.words - first.words));
    calc_copy(c, calc_top(x, first.words / CALC_QUAD), first);
    return x;
}

void calc_newton_begin(struct calc *c, struct calc_newton *x, const struct calc_root_plan *plan,
                       struct number first) {
    uint64_t f = plan->first, most = plan->m > f ? calc_newton_half(plan->m) : f;
    x->s = begin(c, calc_middle(first, 0, f), plan->m);
    x->z = begin(c, calc_middle(first, f, f + 1), most + 1);
    x->c = calc_take(c, CALC_QUAD);
    calc_shift(c, x->c, calc_one(c), -(int64_t)(plan->k + 3), false);
}

/* Adds floor(zh difference / B^(h+1)) to x, with B = 2^128. zh has the highest h + 1 digits to base
 * B of an approximate reciprocal. */
static void improve(struct calc *c, struct number x, struct number zh, struct number difference) {
    uint64_t mark = calc_mark(c);
    struct number term = calc_take(c, zh.words + difference.words);
    calc_mul(c, term, zh, difference);
    calc_add(c, x, x, number_part(term, zh.words, term.words));
    calc_drop(c, mark);
}

void calc_newton_root(struct calc *c, const struct calc_newton *x, struct number rest, uint64_t n,
                      bool less) {
    struct number s = calc_top(x->s, n);
    improve(c, s, calc_top(x->z, calc_newton_half(n) + 1), rest);
    if (less)
        calc_sub(c, s, s, calc_one(c));
}

void calc_newton_inverse(struct calc *c, const struct calc_newton *x, struct number p,
                         uint64_t from, uint64_t n) {
    uint64_t mark = calc_mark(c);
    struct number zh = calc_top(x->z, calc_newton_half(n) + 1), zn = calc_top(x->z, n + 1);
    struct number e = calc_take(c, CALC_QUAD * calc_newton_quads(n));
    struct number product = calc_mul_wrapped(c, CALC_QUAD * (n + 3), p, zh);
    calc_shift(c, e, product, (int64_t)from, true);
    improve(c, zn, zh, e);
    calc_sub(c, zn, zn, x->c);
    calc_drop(c, mark);
}
