/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division by a reciprocal, in blocks of the quotient. B = 2^128 is a quad, and the divisor d has n
 * quads.
 *
 * A block computes j quads of the quotient.
 *
 * - It divides a number N < d B^j: the remainder so far, followed by the next j quads of the
 *   numerator.
 * - v is the reciprocal of d with k > j quads and an error below E: 0 < B^(n+k) / d - v < E.
 * - H = floor(N / B^(n-1)) has j + 1 quads. The block computes H v.
 * - y = H v / B^(k+1) is near N / d: 0 <= N/d - y < 2/B + E/B. So floor(y) is the quotient
 *   floor(N/d), or 1 less.
 * - The remainder N - floor(y) d < 2d is computed in n + 1 quads. If it is not less than d, the
 *   block subtracts d, and adds 1 to the quotient. A flag on the device decides that, so the host
 *   need not wait.
 * - Only the n + 1 lowest quads of floor(y) d are needed. So this product is computed modulo B^w -
 *   1, w > n, if that costs less (lib/multiply/remainder.h).
 *
 * The cost of a quotient of qn quads, computed in b blocks of m = qn/b quads. Let a product of m by
 * n quads take the time c (m+n)/2.
 *
 * - The reciprocal takes the time 2.5 c m.
 * - Each block takes c m for H v, and c (m+n)/2 for floor(y) d.
 * - The sum is c ((2.5/b + 1.5) qn + b n/2). It is least if b (b+1) is about 5 qn/n.
 * - A division of 2n by n quads in two blocks takes 3.75 c n. A product of n by n quads takes c
 *   n. */
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

/* Returns how many words of products by the divisor d of n quads (128 bits each) are needed; 0
 * means all words. */
static uint64_t words_wanted(struct calc *c, uint64_t n) {
    return c->host ? CALC_QUAD * (n + 1) : c->engine->least_wrapped(c, n);
}

/* Computes d and its reciprocal. Two zero quads (128 bits each) below d make room for a reciprocal
 * of n + 1 quads. */
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

/* Returns the approximate quotient y of N by d. N is the lowest n + j quads (128 bits each) of
 * `rest`, with n = by->n. y has j integer quads, and by->k + 1 quads of fraction below them. y's
 * memory is taken by calc_take. */
static struct number estimate(struct calc *c, const struct calc_divisor *by, struct number rest,
                              uint64_t j) {
    struct number y = calc_take(c, CALC_QUAD * (j + by->k + 2));
    calc_factor_mul(c, y, calc_quads(rest, by->n - 1, j + 1), &by->by_v);
    return y;
}

/* Computes r = N - q d, where N is the lowest n + j quads (128 bits each) of `rest`. q is the
 * integer part of the estimated quotient and has j quads. r has at most n + 1 quads. */
static void take_off(struct calc *c, const struct calc_divisor *by, struct number r,
                     struct number rest, struct number q) {
    uint64_t n = by->n, j = q.words / CALC_QUAD;
    struct number product = calc_factor_mul_wrapped(c, q, &by->by_d);
    if (by->by_d.ring == 0 && product.words == CALC_QUAD * (n + j))
        calc_sub(c, r, number_part(rest, 0, r.words), number_part(product, 0, r.words));
    else if (calc_is_on(c))
        c->engine->remainder(c, r, calc_quads(rest, 0, n + j), product, q, by->d);
}

/* Returns true if the host's copy of y proves that floor(y) is the quotient and that the remainder
 * is not 0. The fraction's highest 64 bits suffice, since y is too small by less than 2^-120. */
static bool is_decided(const struct calc *c, const struct calc_divisor *by, struct number y) {
    if (!c->host || !calc_is_on(c))
        return false;
    uint64_t fraction = calc_limbs(c, calc_quads(y, by->k + 1, 0))[-1];
    return fraction > 0 && fraction < UINT64_MAX;
}

/* Divides N by d, where N is the lowest n + j quads (128 bits each) of `rest`, with n = by->n.
 * Replaces N by the remainder, and writes the quotient's j quads to q. Like calc_divide, returns
 * false if it has not computed the remainder. */
static bool block(struct calc *c, const struct calc_divisor *by, struct number q,
                  struct number rest, uint64_t j, bool is_wanted) {
    uint64_t mark = calc_mark(c);
    struct number less = calc_take(c, CALC_QUAD * (by->n + 1));
    struct number y = estimate(c, by, rest, j), floor = calc_quads(y, by->k + 1, j);
    bool is_made = is_wanted || !is_decided(c, by, y);
    if (is_made) {
        take_off(c, by, less, rest, floor);
        struct number more = calc_reduce(c, number_part(rest, 0, less.words), less, by->d);
        if (q.words > 0)
            calc_add(c, q, floor, more);
    } else if (q.words > 0)
        calc_copy(c, q, floor);
    calc_drop(c, mark);
    return is_made;
}

/* Computes a remainder below 2d: leaves out the last conditional subtraction of d. The estimated
 * quotient's error is far below 1, because d has only a few zero bits at its top
 * (calc_modulus_plan). */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number r,
                               struct number n2) {
    struct number q = calc_quads(estimate(c, by, n2, by->n), by->k + 1, by->n);
    take_off(c, by, r, n2, q);
    return q;
}

bool calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2) {
    bool is_made = true;
    uint64_t left = n2.words / CALC_QUAD - by->n;
    for (uint64_t blocks = ceil_div(left, by->k - 1); blocks > 0; blocks--) {
        uint64_t j = ceil_div(left, blocks);
        left -= j;
        is_made = block(c, by, calc_quads(q, left, j), calc_quads(n2, left, by->n + j), j,
                        left > 0 || !by->is_quotient_alone);
    }
    return is_made;
}
