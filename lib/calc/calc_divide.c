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
 * The number of blocks b is the one of lib/algorithms/divide.c: b (b+1) about 5 qn / n. */
#include "lib/calc/calc_divide.h"

#include "lib/base/ceil_div.h"
#include "lib/calc/calc_reciprocal.h"

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

/* Two quads of zeros below d let a reciprocal of n + 1 quads be made. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first) {
    const uint64_t below = 2;
    struct number d = calc_take(c, CALC_QUAD * (by->n + below));
    calc_shift(c, d, divisor, -by->shift - (int64_t)(below * CALC_QUAD_BITS), false);
    by->d = calc_quads(d, below, by->n);
    struct number v = calc_reciprocal(c, d, by->k, first);
    by->by_v = (struct calc_factor){.x = v};
    by->by_d = (struct calc_factor){.x = by->d};
    if (by->is_used_again) {
        by->by_v = calc_factor_make(c, 0, v, CALC_QUAD * by->k);
        by->by_d = calc_factor_make(c, 1, by->d, CALC_QUAD * (by->k - 1));
    }
}

/* {low, n + 1} -= y d for y = floor(N / d) or 1 less, N being {rest, n + j}.  y, of j quads, lies
 * in room that is taken. */
static struct number take_off(struct calc *c, const struct calc_divisor *by, struct number rest,
                              uint64_t j) {
    uint64_t n = by->n, k = by->k;
    struct number y = calc_take(c, CALC_QUAD * (j + k + 2)), estimate = calc_quads(y, k + 1, j),
                  product = calc_take(c, CALC_QUAD * (n + j)), low = calc_quads(rest, 0, n + 1);
    calc_factor_mul(c, y, calc_quads(rest, n - 1, j + 1), &by->by_v);
    calc_factor_mul(c, product, estimate, &by->by_d);
    calc_sub(c, low, low, calc_quads(product, 0, n + 1));
    return estimate;
}

/* {rest, n + j} to its remainder by d, the quotient's j quads to q. */
static void block(struct calc *c, const struct calc_divisor *by, struct number q,
                  struct number rest, uint64_t j) {
    uint64_t mark = calc_mark(c);
    struct number estimate = take_off(c, by, rest, j), low = calc_quads(rest, 0, by->n + 1);
    struct number more = calc_reduce(c, low, low, by->d);
    if (q.words > 0)
        calc_add(c, q, estimate, more);
    calc_drop(c, mark);
}

/* Of d between B^n / 16 and B^n / 8, v is up to 16 B^k: what comes with 1/B stays far below 1. */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number n2) {
    return take_off(c, by, n2, by->n);
}

void calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2) {
    uint64_t left = n2.words / CALC_QUAD - by->n;
    for (uint64_t blocks = ceil_div(left, by->k - 1); blocks > 0; blocks--) {
        uint64_t j = ceil_div(left, blocks);
        left -= j;
        block(c, by, calc_quads(q, left, j), calc_quads(n2, left, by->n + j), j);
    }
}
