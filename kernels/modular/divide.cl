/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divides many pairs of numbers. A step computes one word of the quotient. Divisor and remainder
 * are in registers, distributed over a team as lanes.h describes (doc/design/euclid-batches.md). */
#include "kernels/modular/divide.h"
#define LANES_OF(words) DIVIDE_LANES(words)
#include "kernels/modular/lanes.h"

/* The header included here defines PLACE, the address space in which a work-item reads n and writes
 * q and r. */
#if defined(MODULAR_TEAMS)
#include "kernels/modular/divide_team.h"
#else
#include "kernels/modular/divide_plain.h"
#endif

/* The divisor d, shifted up by `places` words and `shift` bits. The highest bit of its `rows` words
 * is set. e has this work-item's words of 2^(32 rows) - d. In the work-item that has the highest
 * words, top has the highest 64 bits of d, and inverse is 2^128 / top - 2^64, or a little less. */
struct divisor {
    u32 e[LANE_WORDS], places, shift;
    u64 top, inverse;
};

/* The dividend {n, words}, and the memory q for the quotient, which may be the same. */
struct dividend {
    PLACE const u32 *n;
    PLACE u32 *q;
    u32 words, has_q;
};

/* ---- words of shifted numbers */

FN u32 shift_up(u32 high, u32 low, u32 shift) {
    return (u32)(((u64)high << 32 | low) << shift >> 32);
}

/* Returns word i of {x, words}, or 0 if there is none. */
FN u32 word_of(PLACE const u32 *x, u32 words, u32 i) {
    return i < words ? x[i] : 0u;
}

/* Shifts {from, words} up by `shift` bits. Loads those words of the shifted number, from word i on,
 * that this lane (work-item) has. i is negative (modulo 2^32) if they begin below the number. */
FN void shifted_load(u32 *x, PLACE const u32 *from, u32 words, u32 i, u32 shift, struct team t) {
    u32 low;
    i += t.lane * LANE_WORDS;
    low = word_of(from, words, i - 1);
    EACH_WORD(k, t) {
        u32 high = word_of(from, words, i + k);
        x[k] = shift_up(high, low, shift);
        low = high;
    }
}

/* Shifts x down by `places` words and `shift` bits, and stores it to {to, rows}. The lowest
 * `places` words of x are zeros; these zeros are stored above the other words. */
FN void shifted_store(PLACE u32 *to, const u32 *x, u32 places, u32 shift, struct team t) {
    u32 above = team_above(x[0], t), i = t.lane * LANE_WORDS - places;
    EACH_WORD(k, t) {
        u32 high = k + 1 < LANE_COUNT(t) ? x[k + 1] : above;
        u32 at = i + k < t.rows ? i + k : i + k + t.rows;
        to[at] = (u32)(((u64)high << 32 | x[k]) >> shift);
    }
}

/* ---- divisors */

/* Returns 2^128 / top - 2^64, or at most 4 less. The highest bit of top must be 1. The result is
 * also at most 2^128 / (top + 1) - 2^64, unless the result is 0. Takes one step of Newton's method,
 * from 2^64 divided by the upper half of top. */
FN u64 inverse_of(u64 top) {
    u64 a = ~(u64)0 / ((top >> 32) + 1), low, high, inverse;
    u32 a_low, error;
    a = a >> 32 ? a : (u64)1 << 32;
    a_low = (u32)a;
    low = 0 - top * a; /* the difference 2^96 - top a is below 2^66 */
    high = ((u64)1 << 32) - MULHI64(top, a) - (low != 0);
    error = (u32)(high << 30 | low >> 34);
    inverse = ((u64)a_low << 32) + ((u64)error << 2) + ((u64)a_low * error >> 30);
    return inverse > 4 ? inverse - 4 : 0;
}

FN void divisor_load(struct divisor *d, PLACE const u32 *from, u32 words, struct team t) {
    u32 x[LANE_WORDS], zero[LANE_WORDS], top;
    shifted_load(x, from, words, 0, 0, t);
    top = team_top(x, t);
    d->places = t.rows - 1 - top;
    d->shift = LEADING_ZEROS32(from[top] | 1u);
    shifted_load(x, from, words, 0 - d->places, d->shift, t);
    EACH_WORD(k, t) zero[k] = 0;
    team_subtract(d->e, zero, x, t);
    d->top = lane_highest(x, t);
    d->inverse = inverse_of(d->top);
}

/* ---- steps */

/* Returns an estimate of the quotient's next word. `top` has the highest 64 bits of the remainder
 * and must be below d->top. The estimate is never too large, and very rarely too small. */
FN u32 next_word(u64 top, const struct divisor *d) {
    return (u32)((top + MULHI64(top, d->inverse)) >> 32);
}

/* Resolves all carries of the remainder r. Subtracts the divisor unless the result would be
 * negative. Returns 1 if the divisor was subtracted. In the work-item that has the highest words of
 * r, `over` is the word above r. */
FN u32 rest_resolve(u32 *r, u32 *in, u32 over, const u32 *e, struct team t) {
    u32 less[LANE_WORDS];
    over = team_from(over, TEAM - 1) + team_resolve(r, rest_take(r, in, t), t);
    lane_set(less, r, t);
    over += team_resolve(less, lane_add(less, e, t), t);
    EACH_WORD(k, t) r[k] = over ? less[k] : r[k];
    return over;
}

/* Adds 1 to the quotient at word i; the quotient has `steps` words. */
FN void quotient_increase(struct dividend n, u32 i, u32 steps) {
    while (i < steps && ++n.q[i] == 0)
        i++;
}

/* Divides by d, and writes the quotient. r has the highest words of the dividend n, and becomes the
 * remainder.
 *
 * Carries between the work-items that share r stay pending. They are resolved at the end, if a
 * carry into the highest work-item is pending, or if the remainder is not below the divisor. The
 * last case is rare: an estimated word of the quotient was too small. */
FN void divide(u32 *r, const struct divisor *d, struct dividend n, u32 steps, struct team t) {
    const u32 is_top = t.lane == TEAM - 1;
    u32 in[2] = {0, 0}, over = 0, high = word_of(n.n, n.words, steps - 1 - d->places);
    for (u32 i = steps;; i--) {
        u64 top = lane_highest(r, t);
        u32 q = next_word(top, d), low;
        if (i == 0 || warp_any(is_top && (over != 0 || top >= d->top))) {
            u32 more = rest_resolve(r, in, over, d->e, t);
            if (more && is_top && n.has_q)
                quotient_increase(n, i, steps);
            top = lane_highest(r, t);
            /* If top is not below d->top, the two are equal, since r is now below the divisor. */
            q = top < d->top ? next_word(top, d) : ~0u;
        }
        if (i == 0)
            return;
        q = team_from(q, TEAM - 1);
        low = word_of(n.n, n.words, i - 2 - d->places);
        over = rest_row(r, in, d->e, q, t.lane == 0 ? shift_up(high, low, d->shift) : 0u, t);
        high = low;
        if (is_top && n.has_q)
            n.q[i - 1] = q;
    }
}

/* Returns the greatest number of quotient words among all work-items that run in lockstep. */
FN u32 steps_of(u32 n_words, u32 d_words, const struct divisor *d, struct team t) {
    const u32 own = n_words + 1 + d->places - t.rows;
    u32 steps = n_words + 1 - d_words;
    while (warp_any(own > steps))
        steps++;
    return steps;
}

/* Computes q and r with n = q d + r, for numbers from `first`. n and q have n_words words, d and r
 * have d_words words. Both lengths are even, with d_words <= n_words <= 2 d_words. No d is zero.
 * Divisors begin at word d_at, d_step words apart. */
KERNEL_DENSE(DIVIDE_THREADS, DIVIDE_GROUPS)
batch_divide(GLOBAL u32 *q, GLOBAL u32 *r, GLOBAL const u32 *n, GLOBAL const u32 *d, u64 d_at,
             u64 d_step, u64 first, u64 count, u32 n_words, u32 d_words, u32 has_q, u32 has_r) {
    ROWS_ARRAY(box);
    const struct team t = team_of(LOCAL_ID, ROWS_OF(d_words));
    const struct rows rows = rows_of(box, first, count, t);
    struct divisor divisor;
    struct dividend dividend;
    u32 rest[LANE_WORDS], steps;
    if (rows.there == 0)
        return;
    divisor_load(&divisor, rows_load(rows, d + d_at, d_step, d_words), d_words, t);
    steps = steps_of(n_words, d_words, &divisor, t);
    dividend.n = rows_load(rows, n, n_words, n_words);
    dividend.q = rows_result(rows, q, n_words);
    dividend.words = n_words;
    dividend.has_q = has_q;
    shifted_load(rest, dividend.n, n_words, steps - divisor.places, divisor.shift, t);
    rows_meet();
    divide(rest, &divisor, dividend, steps, t);
    if (has_q)
        rows_store(rows, q, n_words, n_words, steps);
    rows_meet();
    if (has_r)
        shifted_store(rows_result(rows, r, d_words), rest, divisor.places, divisor.shift, t);
    if (has_r)
        rows_store(rows, r, d_words, d_words, t.rows);
}
