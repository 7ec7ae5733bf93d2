/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division by a reciprocal, in blocks of the quotient.
 *
 * A block, B = 2^128.  d has n quads; the remainder so far with the next j quads of the numerator
 * makes N < d B^j; the j quads q = floor(N/d) are wanted.  Let v be the reciprocal with k > j
 * quads, 0 < B^(n+k) / d - v < E, and H = floor(N / B^(n-1)), of j + 1 quads.  Then, for
 * y = H v / B^(k+1),
 *
 *     0 <= N/d - y < 2/B + E/B
 *
 * so floor(y) is q or q - 1.  N - floor(y) d < 2d is computed in n + 1 quads, and where that is not
 * less than d, d is taken off, and 1 added to the quotient: both by a flag that stays on the
 * device.
 *
 * Of floor(y) d the n + 1 lowest quads are wanted.  So it is made modulo B^w - 1, w > n, where that
 * costs less (lib/multiply/remainder.h).
 *
 * The number of blocks b is the one of lib/algorithms/divide.c: b (b+1) about 5 qn / n. */
#include "lib/calc/calc_divide.h"

#include "lib/base/ceil_div.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/multiply/remainder.h"
#include "lib/selftest/selftest.h"

/* Quads of a divisor from which on products modulo B^w - 1 are tried.  Below, launches count: those
 * of a step of a power, which have an answer of their own each, are no series any more. */
enum { WRAPS_FROM = 1 << 17, WRAPS_FROM_ON_CPU = 1 << 10 };

struct calc_divisor calc_divisor_plan(uint64_t bits, uint64_t qn) {
    struct calc_divisor by = {.n = ceil_div(bits, CALC_QUAD_BITS)};
    uint64_t b = ceil_div(qn, by.n);
    while (b * (b + 1) * by.n < 5 * qn)
        b++;
    by.k = ceil_div(qn, b) + 1;
    by.is_used_again = b > 1;
    by.shift = (int64_t)(by.n * CALC_QUAD_BITS - bits);
    return by;
}

struct calc_divisor calc_modulus_plan(uint64_t bits) {
    struct calc_divisor by = {.n = ceil_div(bits + CALC_LAZY_BITS, CALC_QUAD_BITS)};
    by.k = by.n + 1;
    by.is_used_again = true;
    by.shift = (int64_t)(by.n * CALC_QUAD_BITS - CALC_LAZY_BITS - bits);
    return by;
}

/* The words of products by d that are wanted, or 0: all. */
static uint64_t words_wanted(struct calc *c, uint64_t n) {
    if (c->host)
        return CALC_QUAD * (n + 1);
    if (n < (c->s->dev.caps.is_cpu ? WRAPS_FROM_ON_CPU : WRAPS_FROM))
        return 0;
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_remainder(c->s);
    return CALC_QUAD * (n + 1);
}

/* Two quads of zeros below d let a reciprocal of n + 1 quads be made. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first) {
    const uint64_t below = 2;
    struct number d = calc_take(c, CALC_QUAD * (by->n + below));
    calc_shift(c, d, divisor, -by->shift - (int64_t)(below * CALC_QUAD_BITS), false);
    by->d = calc_quads(d, below, by->n);
    struct number v = calc_reciprocal(c, d, by->k, first);
    by->by_v = (struct calc_factor){.x = v};
    by->by_d = (struct calc_factor){.x = by->d, .least = words_wanted(c, by->n)};
    if (by->is_used_again) {
        by->by_v = calc_factor_make(c, 0, v, CALC_QUAD * by->k, 0);
        by->by_d = calc_factor_make(c, 1, by->d, CALC_QUAD * (by->k - 1), by->by_d.least);
    }
}

/* r = N - y d, of at most n + 1 quads, for y = floor(N / d) or 1 less, N being {rest, n + j}.  y,
 * of j quads, lies in room that is taken. */
static struct number take_off(struct calc *c, const struct calc_divisor *by, struct number r,
                              struct number rest, uint64_t j) {
    uint64_t n = by->n, k = by->k;
    struct number y = calc_take(c, CALC_QUAD * (j + k + 2)), q = calc_quads(y, k + 1, j);
    calc_factor_mul(c, y, calc_quads(rest, n - 1, j + 1), &by->by_v);
    struct number product = calc_factor_mul_wrapped(c, q, &by->by_d);
    if (by->by_d.ring == 0 && product.words == CALC_QUAD * (n + j))
        calc_sub(c, r, number_part(rest, 0, r.words), number_part(product, 0, r.words));
    else if (calc_is_on_host(c))
        c->host->subtract_wrapped(c, r, calc_quads(rest, 0, n + j), product);
    else if (calc_is_on(c))
        c->status = remainder_make(c->s, r, calc_quads(rest, 0, n + j), product, q, by->d);
    return q;
}

/* {rest, n + j} to its remainder by d, the quotient's j quads to q. */
static void block(struct calc *c, const struct calc_divisor *by, struct number q,
                  struct number rest, uint64_t j) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, CALC_QUAD * (by->n + 1));
    struct number estimate = take_off(c, by, less, rest, j);
    struct number more = calc_reduce(c, number_part(rest, 0, less.words), less, by->d);
    if (q.words > 0)
        calc_add(c, q, estimate, more);
    calc_drop(c, mark);
}

/* Of d between B^n / 16 and B^n / 8, v is up to 16 B^k: what comes with 1/B stays far below 1. */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number r,
                               struct number n2) {
    return take_off(c, by, r, n2, by->n);
}

void calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2) {
    uint64_t left = n2.words / CALC_QUAD - by->n;
    for (uint64_t blocks = ceil_div(left, by->k - 1); blocks > 0; blocks--) {
        uint64_t j = ceil_div(left, blocks);
        left -= j;
        block(c, by, calc_quads(q, left, j), calc_quads(n2, left, by->n + j), j);
    }
}
