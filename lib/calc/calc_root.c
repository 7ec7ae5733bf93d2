/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes higher roots by Newton's iteration. lib/calc/calc_newton.h defines k, rho, B and m;
 * s_h is the approximation of rho B^h with h quads.
 *
 * Steps. Let a be n shifted up by k times the plan's shift. It has k m quads, of which the m + 1
 * highest are kept. A step from h to j quads computes (s_h / B^h)^k by products that are
 * truncated to j + 1 quads of fraction. So a power is too small by less than 2k in the last
 * place. The difference rho^k - (s_h / B^h)^k is below B^(1-h), so the j + 2 - h lowest of the j
 * + 1 quads contain it.
 *
 * Let l be the quads of fraction in the last product. This product may be computed modulo B^w - 1
 * for w >= j + 2 and w > l - h. Quads above w are then added below the needed quads, where their
 * carry costs 1.
 *
 * End. The code computes t = floor((s_m + 4) / 2^shift). Let S be the exact root of n. Since 1/2
 * < rho B^m - s_m < 3, t is floor(S) or floor(S) + 1. So there are two cases.
 *
 * Case n >= t^k: t is the root. The remainder r = n - t^k is less than k t^(k-1). Proof: from S
 * 2^shift < s_m + 3 follows S < t + 1 - g for g = 1/2^shift. So
 *
 *     r < (t+1)^k - t^k - k g t^(k-1) < k t^(k-1) + k^2 t^(k-2) - k g t^(k-1).
 *
 * Here k < g t, as shift < CALC_ROOT_GUARD + 128 and t >= 2^(CALC_ROOT_LEAST - 1). Conversely, r
 * < k t^(k-1) proves that t is not too small, since (t+1)^k > t^k + k t^(k-1).
 *
 * Case n < t^k: the root is t - 1. This is rare: n must be below a k-th power by less than 2^-37
 * of the distance between powers. The host downloads a flag, which reports this case, and calls
 * calc_root_below. */
#include "lib/calc/calc_root.h"

#include "lib/calc/calc_check.h"

static struct number highest(struct number x, uint64_t quads) {
    return x.words > CALC_QUAD * quads ? calc_top(x, quads) : x;
}

/* Returns the product of the fractions u and v, truncated to the highest `keep` quads (128 bits
 * each). */
static struct number product(struct calc *c, struct number u, struct number v, uint64_t keep) {
    struct number p = calc_take(c, u.words + v.words);
    calc_mul(c, p, u, v);
    return highest(p, keep);
}

/* Returns s^e of a fraction s, e >= 1, truncated to the highest `keep` quads (128 bits each). */
static struct number power(struct calc *c, struct number s, unsigned long e, uint64_t keep) {
    struct number p = s;
    for (int i = 62 - __builtin_clzl(e); i >= 0; i--) {
        p = product(c, p, p, keep);
        if (e >> i & 1)
            p = product(c, p, s, keep);
    }
    return p;
}

/* Computes the difference rest = a - s^k, which calc_newton_root needs, for s of h quads (128 bits
 * each). */
static void difference(struct calc *c, struct number rest, struct number a, struct number s,
                       unsigned long k, uint64_t n) {
    uint64_t mark = calc_mark(c), h = s.words / CALC_QUAD;
    struct number u = power(c, s, k % 2 ? k - 1 : k / 2, n + 1), v = k % 2 ? s : u;
    uint64_t l = (u.words + v.words) / CALC_QUAD, wrapped = l - h + 1;
    struct number x = calc_mul_wrapped(c, CALC_QUAD * (wrapped > n + 2 ? wrapped : n + 2), u, v);
    uint64_t quads = calc_newton_quads(n);
    calc_sub(c, rest, calc_middle(calc_top(a, n + 1), 0, quads),
             calc_middle(x, l - (n + 1), quads));
    calc_drop(c, mark);
}

/* Improves x->z, which approximates the reciprocal of the derivative k s^(k-1) of s^k, where s is
 * the approximate root x->s. */
static void derivative(struct calc *c, const struct calc_newton *x, unsigned long k, uint64_t n) {
    uint64_t mark = calc_mark(c);
    struct number p = calc_take(c, CALC_QUAD * (n + 2));
    calc_mul_1(c, p, power(c, calc_top(x->s, n), k - 1, n + 1), k);
    calc_newton_inverse(c, x, p, CALC_QUAD_BITS * calc_newton_half(n), n);
    calc_drop(c, mark);
}

static void iterate(struct calc *c, const struct calc_newton *x, struct number a,
                    const struct calc_root_plan *plan, uint64_t n) {
    if (n == plan->first)
        return;
    uint64_t h = calc_newton_half(n);
    iterate(c, x, a, plan, h);
    uint64_t mark = calc_mark(c);
    struct number rest = calc_take(c, CALC_QUAD * calc_newton_quads(n));
    difference(c, rest, a, calc_top(x->s, h), plan->k, n);
    calc_newton_root(c, x, rest, n, true);
    if (n < plan->m)
        derivative(c, x, plan->k, n);
    calc_drop(c, mark);
}

uint64_t calc_root_words(const struct calc_root_plan *plan) {
    return calc_words(plan->bits + 1);
}

uint64_t calc_root_power_words(const struct calc_root_plan *plan) {
    return calc_words(plan->k * plan->bits + 1);
}

uint64_t calc_root_high(const struct calc_root_plan *plan) {
    uint64_t quads = plan->k * plan->bits / CALC_QUAD_BITS, wanted = plan->m + 3;
    return quads > wanted ? quads - wanted : 0;
}

void calc_root(struct calc *c, const struct calc_root_plan *plan, struct number t, struct number n,
               struct number first) {
    uint64_t mark = calc_mark(c), high = calc_root_high(plan);
    int64_t below =
        (int64_t)(plan->k * plan->bits) - (int64_t)(CALC_QUAD_BITS * (plan->m + 1 + high));
    struct number a = calc_take(c, CALC_QUAD * (plan->m + 1)), four = calc_take(c, CALC_QUAD);
    struct number sum = calc_take(c, a.words); /* one quad more than s has, since s + 4 may need
                                                * it */
    struct calc_newton x;
    calc_newton_begin(c, &x, plan, first);
    calc_shift(c, a, number_part(n, CALC_QUAD * high, n.words), below, false);
    iterate(c, &x, a, plan, plan->m);
    calc_shift(c, four, calc_one(c), -2, false);
    calc_copy(c, sum, x.s);
    calc_add(c, sum, sum, four);
    calc_shift(c, t, sum, plan->shift, false);
    calc_drop(c, mark);
}

/* Returns p = u v, which has at most `bits` bits. */
static struct number exact(struct calc *c, struct number u, struct number v, uint64_t bits) {
    struct number p = calc_take(c, u.words + v.words);
    calc_mul(c, p, u, v);
    return number_part(p, 0, calc_words(bits));
}

/* Computes p = u v as `exact` does. Makes the operation fail unless the check confirms p = u v. */
static struct number proven(struct calc *c, struct number u, struct number v, uint64_t bits) {
    struct number p = exact(c, u, v, bits);
    calc_demand_product(c, p, u, v, number_part(p, 0, 0));
    return p;
}

/* Returns t^e, e >= 1, for t <= 2^bits.  The operation fails unless the check confirms each
 * product. */
static struct number proven_power(struct calc *c, struct number t, unsigned long e, uint64_t bits) {
    struct number p = t;
    for (int i = 62 - __builtin_clzl(e); i >= 0; i--) {
        p = proven(c, p, p, (e >> (i + 1)) * 2 * bits + 1);
        if (e >> i & 1)
            p = proven(c, p, t, (e >> i) * bits + 1);
    }
    return p;
}

struct number calc_root_rest(struct calc *c, const struct calc_root_plan *plan, struct number r,
                             struct number *u, struct number n, struct number t) {
    calc_need(c, n);
    *u = proven_power(c, t, plan->k - 1, plan->bits);
    return calc_reduce(c, r, n, exact(c, *u, t, plan->k * plan->bits + 1));
}

void calc_root_demand(struct calc *c, const struct calc_root_plan *plan, struct number n,
                      struct number t, struct number u, struct number r) {
    uint64_t mark = calc_mark(c);
    struct number bound = calc_take(c, u.words + CALC_QUAD);
    calc_mul_1(c, bound, u, plan->k);
    calc_demand_less(c, r, bound);
    calc_demand_rest(c, n, t, u, r);
    calc_drop(c, mark);
}

void calc_root_below(struct calc *c, const struct calc_root_plan *plan, struct number s,
                     struct number r, struct number n, struct number t) {
    uint64_t mark = calc_mark(c), bits = plan->bits;
    unsigned long k = plan->k;
    calc_need(c, n);
    calc_demand_less(c, n, proven(c, proven_power(c, t, k - 1, bits), t, k * bits + 1));
    calc_sub(c, s, t, calc_one(c));
    calc_demand_rest(c, t, s, calc_one(c), calc_one(c));
    struct number u = proven_power(c, s, k - 1, bits);
    calc_sub(c, r, n, exact(c, u, s, k * bits + 1));
    calc_demand_rest(c, n, s, u, r);
    calc_check_now(c);
    calc_drop(c, mark);
}
