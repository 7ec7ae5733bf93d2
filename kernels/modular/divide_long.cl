/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divides many pairs of numbers that are too long for divide.cl. A step computes one digit of the
 * quotient. A team of work-items has the digits of divisor and remainder in registers, DIGITS
 * digits in each work-item (doc/design/euclid-batches.md). */
#include "kernels/modular/digits.h"

/* Returns the number of bits of {x, words} to all work-items of the team. */
FN u32 bits_of(GLOBAL const u32 *x, u32 words, struct team t) {
    u32 i = t.lane, bits = 0; /* i counts words from the highest word */
    while (i < words && x[words - 1 - i] == 0)
        i += t.size;
    if (i < words)
        bits = 32 * (words - i) - LEADING_ZEROS32(x[words - 1 - i]);
    return ~least_of_team(t, ~bits);
}

/* Returns 2^28 r / d, rounded, with an error below 0.2 if |r| < 0.7 d. `top`, signed, and `next`
 * are the highest digits of r; `inverse` is 2^63 divided by the highest 32 bits of d. */
FN u32 quotient_digit(u32 top, u32 next, u32 inverse) {
    s64 r = (s64)(s32)top * (1 << DIGIT_BITS) + (s32)next;
    u64 size = (u64)(r < 0 ? -r : r);
    u32 high = (u32)((size + (1u << 23)) >> 24);
    u32 q = (u32)(((u64)high * inverse + ((u64)1 << 34)) >> 35);
    return r < 0 ? 0u - q : q;
}

/* Computes one step of the division: r = r 2^28 + `digit` - q d. `below` is the digit that the
 * work-item below passes up. Returns the carry for the work-item above. */
FN u32 divide_step(u32 *r, const u32 *d, struct team t, u32 q, u32 below) {
    s64 sum = 0;
    u32 in = below, top = r[COUNT(t) - 1];
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++) {
        sum += (s64)(s32)in - (s64)(s32)q * (s32)d[i];
        in = r[i];
        if (i + 1 < COUNT(t) || !t.is_top) {
            r[i] = (u32)sum & DIGIT_MASK;
            sum >>= DIGIT_BITS;
        }
    }
    if (t.is_top)
        r[COUNT(t) - 1] = (u32)sum + (top << DIGIT_BITS);
    return t.is_top ? 0u : (u32)sum;
}

/* Stores digit `at` of the quotient in that work-item of the team which will read it. Each
 * work-item reads COUNT(t) adjacent digits, then skips those of the other work-items. */
FN void keep_digit(GLOBAL s32 *digits, struct team t, u32 at, u32 q) {
    if ((at / COUNT(t) & (t.size - 1)) == t.lane)
        digits[at] = (s32)q;
}

/* Converts this work-item's digits, which are below 2^28, to words, and stores at most `left` words
 * to q. */
FN void store_words(GLOBAL u32 *q, u32 left, const u32 *d, struct team t) {
    UNROLL_DIGITS
    for (u32 j = 0; j < DIGITS_TO_WORDS(COUNT(t)); j++) {
        const u32 i = 32 * j / DIGIT_BITS, shift = 32 * j % DIGIT_BITS;
        u32 x = d[i] >> shift | d[i + 1] << (DIGIT_BITS - shift);
        if (shift > 2 * DIGIT_BITS - 32)
            x |= d[i + 2] << (2 * DIGIT_BITS - shift);
        if (j < left)
            q[j] = x;
    }
}

/* Converts the `used` digits of the quotient to {q, words}, and adds `more`. */
FN void resolve_quotient(GLOBAL u32 *q, u32 words, GLOBAL const s32 *digits, struct team t,
                         u32 used, u32 more, u32 is_there) {
    const u32 tile_words = DIGITS_TO_WORDS(COUNT(t)) * t.size;
    for (u32 tile = 0; tile * tile_words < words; tile++) {
        const u32 first = (tile * t.size + t.lane) * COUNT(t);
        const u32 at = tile * tile_words + t.lane * DIGITS_TO_WORDS(COUNT(t));
        u32 x[ROOM];
        UNROLL_DIGITS
        for (u32 i = 0; i < COUNT(t); i++)
            x[i] = is_there && first + i < used ? (u32)digits[first + i] : 0u;
        x[0] += t.lane == 0 ? more : 0u;
        more = digits_resolve(x, t, 1);
        store_words(q + at, is_there && at < words ? words - at : 0u, x, t);
    }
}

/* Computes q and r with n = q d + r for each number n. n and q have n_words words, d and r d_words.
 * No d is zero; divisors are d_step words apart. Writes q if has_q, and r if has_r. `digits` is
 * scratch, digit_step digits for each quotient. */
KERNEL_DENSE(EUCLID_THREADS, EUCLID_GROUPS_OF(DIGITS))
batch_divide_long(GLOBAL u32 *q, GLOBAL u32 *r, GLOBAL s32 *digits, GLOBAL const u32 *n,
                  GLOBAL const u32 *d, u64 d_at, u64 d_step, u64 first, u64 count, u32 n_words,
                  u32 d_words, u32 digit_step, u32 size, u32 has_q, u32 has_r) {
    BOX_ARRAY(box);
    const struct team t = team_of(size, box);
    const struct place place = place_of(first, count, t);
    const u32 is_there = place.is_there, all = t.size * COUNT(t);
    u32 divisor[ROOM], rest[ROOM], more = 0;
    n += place.index * n_words;
    d += d_at + place.index * d_step;
    digits += place.own * digit_step;
    const u32 bits = bits_of(d, d_words, t);
    /* Shifts the divisor up, so that the highest bit of its highest digit is 1. */
    const s32 shift = (s32)(all * DIGIT_BITS - bits);
    /* Each step computes one digit of the quotient: one for each digit by which the shifted n is
     * longer than the divisor, and one more. So the first remainder, the highest digits of n, is
     * less than the divisor. */
    const u32 over = (u32)((s32)(n_words * 32) - (s32)bits);
    const u32 own = (s32)over > 0 ? (over + DIGIT_BITS - 1) / DIGIT_BITS + 1 : 1;
    const u32 steps = greatest_together(t, own);
    digits_load(divisor, t, d, d_words, -shift);
    digits_load(rest, t, n, n_words, (s32)(steps * DIGIT_BITS) - shift);
    const u32 inverse = (u32)((((u64)1 << 63) - 1) / (divisor[COUNT(t) - 1] << 4 |
                                                      divisor[COUNT(t) - 2] >> 24 | 1u << 31));
    u32 carry = 0;
    for (u32 i = 0; i < steps; i++) {
        const u32 at = steps - 1 - i;
        u32 post[2], below[2], top[2];
        u32 digit = digit_at(n, n_words, (s32)(at * DIGIT_BITS) - shift);
        post[0] = rest[COUNT(t) - 1];
        if (t.is_top)
            post[0] = quotient_digit(rest[COUNT(t) - 1], rest[COUNT(t) - 2], inverse);
        post[1] = carry;
        team_from_below(t, i & 1, post, below, top, 2);
        rest[0] += below[1];
        carry = divide_step(rest, divisor, t, top[0], t.lane == 0 ? digit : below[0]);
        if (has_q && is_there)
            keep_digit(digits, t, at, top[0]);
    }
    team_done(t);
    u32 below, unused;
    team_from_below(t, 0, &carry, &below, &unused, 1);
    team_done(t);
    rest[0] += below;
    digits_resolve(rest, t, 0);
    more = 0u - digits_are_negative(rest, t);
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        rest[i] += divisor[i] & more;
    digits_resolve(rest, t, 0);
    digits_store(r + (has_r ? place.index * d_words : 0), d_words, rest, t, shift,
                 is_there && has_r);
    if (has_q)
        resolve_quotient(q + place.index * n_words, n_words, digits, t, steps, more, is_there);
}
