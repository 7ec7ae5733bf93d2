/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a reciprocal by Newton's iteration.
 *
 * The divisor d has n quads, and B = 2^128 is the base. One step computes a reciprocal v_k, of k
 * quads, from a shorter one, v_h, of h = floor(k/2) + 1 quads. Let T = d / B^(n-k).
 *
 * - v_k approximates B^(2k) / T.
 * - v_h approximates B^(k+h) / T. It is too small, by more than 0 and less than E = 3.
 * - D is the number in the k + 1 highest quads of d, so 0 <= T B - D < 1.
 *
 * The step computes an error e, then v_k:
 *
 *     e   = B^(k+h+1) - D v_h
 *     v_k = B^(k-h) v_h + floor(v_h floor(e / B^h) / B^(h+1)) - 1
 *
 * v_k is not too large. With T B instead of D, and without the floors, v_k + 1 would be B^(2k) / T
 * minus the squared error. The use of D makes e larger by less than v_h <= 2 B^h, which raises v_k
 * by less than 4/B. Subtracting 1 outweighs this.
 *
 * v_k is too small by less than E. The squared error is below E^2 / B. The inner floor costs less
 * than 2/B. The outer floor and the subtracted 1 together cost less than 2.
 *
 * The code does not compute e exactly: it inverts the bits of D v_h.
 *
 * - If D v_h is a whole product, the result is e - 1.
 * - If D v_h is a product modulo B^w - 1, w >= k + 3, the result is e - B^t for some t <= h. The
 *   result is positive: v_h is too small by nearly 1, so e is about B^(k+1) / 2.
 *
 * In both cases the difference to e costs less than 2/B, as the inner floor does. */
#include "lib/calc/calc_reciprocal.h"

/* The host's first approximation of a reciprocal has at most this many quads (128 bits each): 2^13
 * bits, which GMP divides in some microseconds. */
enum { FIRST_MOST = 64 };

uint64_t calc_reciprocal_first(uint64_t k) {
    while (k > FIRST_MOST)
        k = k / 2 + 1;
    return k;
}

/* Returns the `quads` highest quads (128 bits each) of x. */
static struct number top(struct number x, uint64_t quads) {
    return number_part(x, x.words - CALC_QUAD * quads, CALC_QUAD * quads);
}

/* Improves a reciprocal from h to k quads (128 bits each) of precision, by one step of Newton's
 * iteration. The old reciprocal is in the highest h + 1 quads of v, above zeros. The new one
 * replaces it in the highest k + 1 quads of v. */
static void step(struct calc *c, struct number v, struct number d, uint64_t k, uint64_t h) {
    uint64_t mark = calc_mark(c), en = k + 2 - h;
    struct number vh = top(v, h + 1), vk = top(v, k + 1);
    struct number e = calc_take(c, CALC_QUAD * en), term = calc_take(c, CALC_QUAD * (h + 1 + en));
    struct number product = calc_mul_wrapped(c, CALC_QUAD * (k + 3), top(d, k + 1), vh);
    calc_shift(c, e, calc_quads(product, h, en), 0, true);
    calc_mul(c, term, vh, e);
    calc_add(c, vk, vk, calc_quads(term, h + 1, en));
    calc_sub(c, vk, vk, calc_one(c));
    calc_drop(c, mark);
}

static void iterate(struct calc *c, struct number v, struct number d, uint64_t k, uint64_t first) {
    if (k == first)
        return;
    iterate(c, v, d, k / 2 + 1, first);
    step(c, v, d, k, k / 2 + 1);
}

struct number calc_reciprocal(struct calc *c, struct number d, uint64_t k, struct number first) {
    struct number v = calc_take(c, CALC_QUAD * (k + 1));
    uint64_t f = calc_reciprocal_first(k);
    calc_zero(c, number_part(v, 0, v.words - first.words));
    calc_copy(c, top(v, f + 1), first);
    iterate(c, v, d, k, f);
    return v;
}
