/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the sum of the terms of a cyclic product that wrap around, for products by
 * floating-point transforms (kernels/check/digit_wraparound.h). The host checks the product by this
 * sum. */
#if defined(__OPENCL_VERSION__) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#include "kernels/check/digit_wraparound.h"
#include "kernels/check/key.h"

/* Returns digit `at` of {x, words}, a number modulo 2^p + 1 if `plus`, otherwise modulo 2^p - 1.
 * All digits together have p bits. So the carry out of the highest digit is added to digit 0, or
 * subtracted if `plus`. */
FN s32 digit_in_ring(GLOBAL const u32 *x, u64 words, struct digits d, struct digit at, u32 plus) {
    s32 value = digit_value(x, words, at);
    if (at.begin == 0) {
        struct digit beyond = at;
        beyond.begin = digits_all_bits(d);
        const s32 carry = digit_value(x, words, beyond);
        value += plus ? -carry : carry;
    }
    return value;
}

/* Group g computes the wrapped part of WRAPAROUND_THREADS times `each` digits. It stores
 * WRAPAROUND_ENTRIES entries, XORed with the key, from out[out_at + WRAPAROUND_ENTRIES g]. All
 * groups together have `length` digits. up, down and least are arguments of digit_walk_next and
 * digit_join. */
KERNEL(WRAPAROUND_THREADS)
digit_wraparound(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
                 GLOBAL const u32 *table_words, u64 table_at, u32 bits, u32 rest, u64 length,
                 u32 plus, u32 each, u64 up, u64 down, u64 least, u64 out_at, u64 key,
                 GLOBAL u64 *out) {
    LOCAL_ARRAY(struct wraparound_part, parts, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 mine = LOCAL_ID == 0 ? key_of(key, out) : 0;
    const struct digits d = digits_make(bits, rest, length);
    const u64 first = (u64)GROUP_X * WRAPAROUND_THREADS * each, at = first + LOCAL_ID * each;
    struct digit_powers power;
    struct digit_walk w = {0, 0, {0, 0}};
    const struct digit begin = digit_of(d, at);
    struct digit i = digit_of(d, length - 1 - at), j = begin, below = begin;
    u64 least_bits = digit_least_bits(d, each);
    power.up = up, power.down = down;
    u += u_at, v += v_at;
    for (u32 k = 0; k < each; k++) {
        digit_walk_next(&w, d, digit_in_ring(u, un, d, i, plus), digit_in_ring(v, vn, d, j, plus),
                        i, j, below, power, m, minv);
        i = digit_previous(d, i);
        below = j;
        j = digit_next(d, j);
    }
    const u64 last = below.width > bits ? residue_half(down, m) : down;
    /* w.v is relative to the part's highest digit. The first factor makes w.v relative to the digit
     * above, the second to the part's lowest digit. The third factor removes the division by R. */
    w.v = residue_product(w.v, last, m, minv);
    w.v = residue_product(w.v, digit_span(begin, j, least_bits, least, m), m, minv);
    parts[LOCAL_ID].v = residue_product(w.v, table[RESIDUE_HIGH], m, minv);
    parts[LOCAL_ID].u = residue_product(w.u, table[RESIDUE_ONE], m, minv);
    parts[LOCAL_ID].sum =
        residue_product(residue_reduce(w.sum, m, minv), table[RESIDUE_ONE], m, minv);
    for (u32 count = 1; count < WRAPAROUND_THREADS; count *= 2) {
        const u64 digits = (u64)count * each;
        BARRIER();
        if (LOCAL_ID % (2 * count) == 0) {
            const struct digit middle = digit_of(d, at + digits),
                               top = digit_of(d, length - at - digits),
                               low = digit_of(d, length - at - 2 * digits);
            parts[LOCAL_ID] = digit_join(parts[LOCAL_ID], parts[LOCAL_ID + count], middle,
                                         digit_span(low, top, least_bits, least, m),
                                         digit_span(begin, middle, least_bits, least, m), m, minv);
        }
        const u64 next = digit_least_bits(d, 2 * digits);
        least = residue_product(least, least, m, minv);
        least = next > 2 * least_bits ? residue_twice(least, m) : least;
        least_bits = next;
    }
    if (LOCAL_ID == 0) {
        out_at += (u64)GROUP_X * WRAPAROUND_ENTRIES;
        out[out_at] = parts[0].u ^ mine;
        out[out_at + 1] = parts[0].v ^ mine;
        out[out_at + 2] = parts[0].sum ^ mine;
    }
}

/* Returns part `g` of `each` digits as a range. `least` is an argument of digit_span. */
FN struct digit_range range_of(GLOBAL const u64 *parts, u64 g, struct digits d, u64 each, u64 least,
                               u64 m) {
    const u64 at = g * each, bits = digit_least_bits(d, each);
    struct digit_range r;
    r.part.u = parts[WRAPAROUND_ENTRIES * g];
    r.part.v = parts[WRAPAROUND_ENTRIES * g + 1];
    r.part.sum = parts[WRAPAROUND_ENTRIES * g + 2];
    r.up_u =
        digit_span(digit_of(d, d.length - at - each), digit_of(d, d.length - at), bits, least, m);
    r.up_v = digit_span(digit_of(d, at), digit_of(d, at + each), bits, least, m);
    return r;
}

/* Returns a b modulo m, for b < m. */
FN u64 plain_product(u64 a, u64 b, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    return residue_product(residue_product(a, b, m, minv), table[RESIDUE_HIGH], m, minv);
}

/* Returns c, the digit above the highest of x's `length` digits. digit_in_ring adds c to digit 0,
 * so the digits represent x - c (2^p - 1). x is not negative and has at most p + 2 bits. */
FN u64 digits_beyond(GLOBAL const u32 *x, u64 words, struct digits d) {
    return (u64)digit_value(x, words, digit_of(d, d.length));
}

/* Let M = 2^p - 1, and let S be the sum of coefficients of u v plus 2^o M. Adds (u v - S) / M to
 * the quotient {q + q_at, 2}, modulo m. This is the wrapped part of the digits' product, plus one
 * term for each operand above M, minus 2^o. `parts` has the wrapped part, as `count` results of the
 * kernel digit_wraparound for `each` digits. `modulus` is M modulo m; `more` is m - 2^o. Only one
 * group runs. */
KERNEL(WRAPAROUND_THREADS)
digit_quotient(GLOBAL u32 *q, u64 q_at, GLOBAL const u64 *parts, u64 parts_at, u32 count, u64 each,
               u64 least, GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at,
               u64 vn, GLOBAL const u32 *table_words, u64 table_at, u32 bits, u32 rest, u64 length,
               u64 modulus, u64 more) {
    LOCAL_ARRAY(struct digit_range, ranges, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], one = table[RESIDUE_ONE];
    const struct digits d = digits_make(bits, rest, length);
    const u32 mine = (count + WRAPAROUND_THREADS - 1) / WRAPAROUND_THREADS, from = LOCAL_ID * mine;
    struct digit_range all = {{0, 0, 0}, one, one};
    for (u32 g = from; g < from + mine && g < count; g++)
        all = digit_range_join(all, range_of(parts + parts_at, g, d, each, least, m),
                               digit_of(d, g * each), m, minv);
    ranges[LOCAL_ID] = all;
    for (u32 k = 1; k < WRAPAROUND_THREADS; k *= 2) {
        const u32 middle = (LOCAL_ID + k) * mine;
        BARRIER();
        if (LOCAL_ID % (2 * k) == 0 && middle < count)
            ranges[LOCAL_ID] = digit_range_join(ranges[LOCAL_ID], ranges[LOCAL_ID + k],
                                                digit_of(d, middle * each), m, minv);
    }
    if (LOCAL_ID == 0) {
        const struct wraparound_part part = ranges[0].part;
        const u64 beyond_u = digits_beyond(u + u_at, un, d),
                  beyond_v = digits_beyond(v + v_at, vn, d);
        const u64 whole = residue_plus(residue_product(part.u, table[RESIDUE_HIGH], m, minv),
                                       plain_product(beyond_u, modulus, table), m);
        q += q_at;
        u64 sum = plain_product(q[0] | (u64)q[1] << 32, 1, table);
        sum = residue_plus(sum, more, m);
        sum = residue_plus(sum, plain_product(plain_product(part.sum, one, table), one, table), m);
        sum = residue_plus(sum, plain_product(beyond_u, part.v, table), m);
        sum = residue_plus(sum, plain_product(beyond_v, whole, table), m);
        q[0] = (u32)sum;
        q[1] = (u32)(sum >> 32);
    }
}
