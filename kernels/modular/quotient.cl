/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divides many pairs of long numbers by Newton's method. These kernels run between batch products.
 * doc/design/euclid-batches.md has the method and the bounds.
 *
 * All lengths n, k and h are multiples of SPAN words. Numbers of the same kind are adjacent unless
 * an argument says otherwise. Arguments named _step are the words from one number to the next, or 0
 * if all use one number. */
#include "kernels/batch/batch.h"
#include "kernels/modular/barrett_shift.h"

#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "kernels/batch/batch_resolve.h"
#include "kernels/modular/quotient.h"
#include "kernels/modular/quotient_estimate.h"
#include "kernels/modular/terms.h"

/* ---- sums */

/* Computes the sum of the terms a, b, c and d and of `more`, for each number of the group, in
 * spans of SPAN words. Stores the lowest `stored` words of the sum to r, inverted if flip is ~0.
 * r must be aligned to four words if by_four, otherwise to two. Sets above[number] to the part of
 * the sum above the number's words. */
FN void sum_terms(GLOBAL u32 *r, u32 stored, u32 by_four, u32 flip, struct term a, struct term b,
                  struct term c, struct term d, u32 more, struct place p, struct memory m) {
    const u32 minus =
        (a.times & a.flip) + (b.times & b.flip) + (c.times & c.flip) + (d.times & d.flip);
    u32 carry = 0;
    for (u32 tile = 0; tile < p.tiles; tile++) {
        const u32 span =
            p.tiles > 1 ? tile * BATCH_THREADS + LOCAL_ID : LOCAL_ID - p.number * p.spans;
        const u32 is_there = p.is_there && span < p.spans, at = span * SPAN;
        u32 x[SPAN] = {0}, over = add_term(x, a, at, is_there);
        over += add_term(x, b, at, is_there);
        over += add_term(x, c, at, is_there);
        over += add_term(x, d, at, is_there);
        over = resolve(x, over, span == 0, minus + more, &carry, m.s);
        UNROLL
        for (int i = 0; i < SPAN; i++)
            x[i] ^= flip;
        batch_store(r + at, is_there && at < stored ? stored - at : 0u, by_four, x);
        if (is_there && span == p.spans - 1)
            m.above[p.number] = over - minus;
        if (LOCAL_ID == 0)
            /* keeps the excess of the group's last span, which is added to the next tile */
            m.s.over[0] = m.s.over[BATCH_THREADS];
        BARRIER();
    }
}

/* Local memory for the function columns_of. */
struct sums {
    LOCAL u64 *below, *last;
    LOCAL u32 *above;
};

#define SUMS(name)                                                                                 \
    LOCAL_ARRAY(u64, sums_below, BATCH_THREADS);                                                   \
    LOCAL_ARRAY(u64, sums_last, BATCH_THREADS);                                                    \
    LOCAL_ARRAY(u32, sums_above, BATCH_THREADS);                                                   \
    const struct sums name = {sums_below, sums_last, sums_above}

/* Returns word k of u v, numbers of k words each, to all work-items of a number. `word` is word k -
 * 1 of the product. */
FN u32 word_above(GLOBAL const u32 *u, GLOBAL const u32 *v, u32 k, u32 word, struct place p,
                  struct sums m) {
    const u32 items = p.tiles > 1 ? BATCH_THREADS : p.spans, first = p.number * items,
              item = LOCAL_ID - first;
    struct columns c = {0, 0, 0};
    for (u32 i = item; p.is_there && i < k; i += items)
        columns_add(&c, u, v, k, i);
    for (u32 step = 1; step < items; step *= 2) {
        m.below[LOCAL_ID] = c.below, m.last[LOCAL_ID] = c.last, m.above[LOCAL_ID] = c.above;
        BARRIER();
        if (p.is_there && item + step < items) {
            c.below += m.below[LOCAL_ID + step], c.last += m.last[LOCAL_ID + step];
            c.above += m.above[LOCAL_ID + step];
        }
        BARRIER();
    }
    if (p.is_there && item == 0)
        m.above[first] = columns_word(c, word);
    BARRIER();
    return p.is_there ? m.above[first] : 0u;
}

/* ---- reciprocals of shifted divisors M of n words, whose highest bit is set */

/* Shifts each divisor d: stores M = d 2^shift, whose highest bit is set, in {high, n}, and the
 * shift in `shifts`. Also counts the divisors by their zero words: adds to shifts[found_at + j]
 * the number of divisors with exactly j words of zeros at the top.
 *
 * Stores the operands of the first, short division: the highest k words of M in `leaf`, and B^2k
 * / 2 - B^k in `dividend`, where B = 2^32. */
KERNEL(BATCH_THREADS)
quotient_normalize(GLOBAL u32 *shifts, u64 found_at, GLOBAL u32 *high, GLOBAL u32 *leaf,
                   GLOBAL u32 *dividend, GLOBAL const u32 *d, u64 d_at, u64 count, u32 words, u32 n,
                   u32 k) {
    const u64 own = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = own / (n / SPAN);
    const u32 span = (u32)(own - i * (n / SPAN));
    if (i >= count)
        return;
    GLOBAL const u32 *own_d = d + d_at + i * words;
    const struct pair x = {own_d, own_d, words, 0};
    const u32 above = shift_of(own_d, words), shift = above + 32 * (n - words);
    for (u32 j = span * SPAN; j < (span + 1) * SPAN; j++) {
        const u32 word = shifted_word(x, j, shift);
        high[i * n + j] = word;
        if (j >= n - k) {
            const u64 at = 2 * i * k + (j - (n - k));
            leaf[i * k + (j - (n - k))] = word;
            dividend[at] = 0;
            dividend[at + k] = j == n - 1 ? ~0u >> 1 : ~0u;
        }
    }
    if (span == 0) {
        shifts[i] = shift;
        ATOMIC_INCREMENT(shifts + found_at + above / 32);
    }
}

/* For each number, computes the error e of its reciprocal Z of k words. V is the product of Z and
 * the highest 2k words of the divisor M. With B = 2^32, e is B^2k - 2 V / B^k, or up to 4 less. e
 * is signed, has k + 1 words, and begins at a multiple of QUOTIENT_E_STEP(k).
 *
 * V is known as low + high B^k. `high` is Z times the highest k words of M, `low` is Z times the
 * k words below them. The argument `product` has all numbers' `low`. From high_at on, it has the
 * lowest k words of each `high`. */
KERNEL(BATCH_THREADS)
quotient_error(GLOBAL u32 *e, GLOBAL const u32 *product, u64 high_at, GLOBAL const u32 *z,
               u32 z_step, GLOBAL const u32 *divisor, u32 n, u64 count, u32 k, u32 each,
               u32 tiles) {
    MEMORY(m);
    SUMS(s);
    const struct place p = place_of(count, k / SPAN, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    GLOBAL const u32 *low = product + 2 * i * k + k, *high = product + high_at + i * k;
    GLOBAL u32 *own = e + i * QUOTIENT_E_STEP(k);
    const struct term a = {low, 0, k, 2, 0}, b = {high, 0, k, 2, 0}, none = {low, 0, 0, 0, 0};
    const u32 top = word_above(z + i * z_step, divisor + i * n + n - k, k, high[k - 1], p, s);
    sum_terms(own, k, 1, ~0u, a, b, none, none, 3, p, m);
    if (p.is_there && LOCAL_ID == p.number * p.spans)
        own[k] = ~(2 * top + m.above[p.number]);
}

/* Extends each reciprocal Z from k to 2 k words, for B = 2^32. The result z is Z B^k + Z e / B^k,
 * rounded down; e is the error that quotient_error has computed. `product` is Z times the lowest k
 * words of e. */
KERNEL(BATCH_THREADS)
quotient_improve(GLOBAL u32 *z, GLOBAL const u32 *old, u32 old_step, GLOBAL const u32 *e,
                 GLOBAL const u32 *product, u64 count, u32 k, u32 each, u32 tiles) {
    MEMORY(m);
    const struct place p = place_of(count, 2 * k / SPAN, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    GLOBAL const u32 *own = old + i * old_step;
    const u32 top = e[i * QUOTIENT_E_STEP(k) + k], sign = top >> 31;
    const struct term a = {product + 2 * i * k + k, 0, k, 1, 0},
                      b = {own, 0, k, sign ? 0 - top : top, 0 - sign}, c = {own, k, 2 * k, 1, 0},
                      none = {own, 0, 0, 0, 0};
    sum_terms(z + 2 * i * k, 2 * k, 1, 0, a, b, c, none, 0, p, m);
}

/* ---- quotients */

/* Stores each dividend x of `words` words, times 2^shift, in {w, w_step}. */
KERNEL(BATCH_THREADS)
quotient_shift(GLOBAL u32 *w, u32 w_step, GLOBAL const u32 *x, u64 x_at, GLOBAL const u32 *shifts,
               u32 shift_step, u64 count, u32 words) {
    for (u32 k = 0; k < SPAN; k++) {
        const u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = at / w_step;
        if (i < count) {
            GLOBAL const u32 *own = x + x_at + i * words;
            const struct pair both = {own, own, words, 0};
            w[at] = shifted_word(both, (u32)(at - i * w_step), shifts[i * shift_step]);
        }
    }
}

/* Divides t = {x, n} - b - c by the divisor M: replaces {x, n} by the remainder, and returns the
 * quotient. `top` is word n of t. The quotient is estimate.c; if estimate.is_near is set, it may
 * also be estimate.c + 1. In this case the group first computes the sign of t - (estimate.c + 1)
 * M. */
FN u32 reduce(GLOBAL u32 *x, u32 n, GLOBAL const u32 *divisor, struct quotient estimate, u32 top,
              struct term b, struct term c, struct place p, struct memory m) {
    const struct term a = {x, 0, n, 1, 0};
    u32 more = p.is_there && estimate.is_near && estimate.c != ~0u, is_any_near = 0;
    if (LOCAL_ID == p.number * p.spans)
        m.above[p.number] = more;
    BARRIER();
    for (u32 k = 0; k <= (BATCH_THREADS - 1) / p.spans; k++)
        is_any_near |= m.above[k];
    for (u32 pass = 1 - is_any_near; pass < 2; pass++) {
        const struct term d = {divisor, 0, n, estimate.c + more, ~0u};
        sum_terms(x, pass ? n : 0u, 1, 0, a, b, c, d, 0, p, m);
        if (pass == 0)
            more = more && !((m.above[p.number] + top) >> 31);
    }
    return estimate.c + more;
}

/* Subtracts the largest multiple c M B^low, c < B = 2^32, from each number of w, which must be
 * below M B^(low + 1). Stores c in word `low` of the quotient, and clears the words above. */
KERNEL(BATCH_THREADS)
quotient_begin(GLOBAL u32 *q, u64 q_at, u32 q_words, GLOBAL u32 *w, u32 w_step, u32 low,
               GLOBAL const u32 *divisor, u32 m_step, u64 count, u32 n, u32 each, u32 tiles) {
    MEMORY(m);
    const struct place p = place_of(count, n / SPAN, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    GLOBAL u32 *x = w + i * w_step + low, *own_q = q + q_at + i * q_words;
    GLOBAL const u32 *d = divisor + i * m_step;
    const struct quotient estimate = quotient_word(x[n], x[n - 1], d[n - 1], d[n - 2]);
    const struct term none = {x, 0, 0, 0, 0};
    const u32 c = reduce(x, n, d, estimate, x[n], none, none, p, m);
    const u32 items = tiles > 1 ? BATCH_THREADS : p.spans;
    if (p.is_there)
        for (u32 k = low + LOCAL_ID - p.number * items; k < q_words; k += items)
            own_q[k] = k == low ? c : 0u;
}

/* Computes h words of each quotient by M, from word `low`, and subtracts the multiple of M from
 * the remainder w. Each remainder begins as {w + low, n + h}. Let y be its highest h words, and Z
 * the reciprocal of M.
 * - estimate: y Z; let g be its upper half
 * - product: g times the lower half of M; from high_at, the lowest h words of g times the upper
 *   half of M
 *
 * Let t = w - 2 g M and c = floor(t / M). Then the quotient is 2 g + c, and the new remainder is
 * t - c M. */
KERNEL(BATCH_THREADS)
quotient_step(GLOBAL u32 *q, u64 q_at, u32 q_words, GLOBAL u32 *w, u32 w_step, u32 low,
              GLOBAL const u32 *estimate, GLOBAL const u32 *product, u64 high_at,
              GLOBAL const u32 *divisor, u32 m_step, u64 count, u32 n, u32 each, u32 tiles) {
    MEMORY(m);
    SUMS(s);
    const u32 h = n / 2;
    const struct place p = place_of(count, n / SPAN, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    GLOBAL u32 *x = w + i * w_step + low;
    GLOBAL const u32 *by_low = product + i * n, *by_high = product + high_at + i * h,
                     *d = divisor + i * m_step, *g = estimate + i * n + h;
    const u32 above = word_above(g, d + h, h, by_high[h - 1], p, s);
    const struct quotient estimate_of_c =
        quotient_times(x + n - 2, by_low + n - 2, by_high + h - 2, above, d[n - 1]);
    const struct term b = {by_low, 0, n, 2, ~0u}, e = {by_high, h, n, 2, ~0u},
                      upper = {g, 0, h, 2, 0}, none = {x, 0, 0, 0, 0};
    const u32 c = reduce(x, n, d, estimate_of_c, x[n] - 2 * above, b, e, p, m);
    sum_terms(q + q_at + i * q_words + low, low < q_words ? MIN32(h, q_words - low) : 0u,
              q_words % 4 == 0, 0, upper, none, none, none, c, p, m);
}

/* Stores the remainders: r = w / 2^shift, of `words` words. */
KERNEL(BATCH_THREADS)
quotient_end(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *w, u32 w_step, GLOBAL const u32 *shifts,
             u32 shift_step, u64 count, u32 words, u32 n) {
    for (u32 k = 0; k < SPAN; k++) {
        const u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = at / words;
        if (i < count) {
            const u32 shift = shifts[i * shift_step], j = (u32)(at - i * words) + shift / 32;
            GLOBAL const u32 *own = w + i * w_step;
            const u32 low = j < n ? own[j] : 0u, high = j + 1 < n ? own[j + 1] : 0u;
            r[r_at + at] = (u32)(((u64)high << 32 | low) >> shift % 32);
        }
    }
}
