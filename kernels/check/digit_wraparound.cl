/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the sum of the terms of a cyclic product that wrap around, for products by
 * floating-point transforms (kernels/check/digit_wraparound.h). The host checks the product by this
 * sum. */
#if defined(__OPENCL_VERSION__) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#include "kernels/check/digit_wraparound.h"
#include "kernels/check/key.h"

/* Returns the carry out of the highest of the digits d of {x, words}, modulo m. This carry wraps
 * around to digit 0. Modulo 2^p + 1 (`plus`) the carry is negated, where p is the number of bits of
 * all digits. */
FN u64 carry_in_ring(GLOBAL const u32 *x, u64 words, struct digits d, u32 plus, u64 m) {
    const s32 carry = digit_value(x, words, digit_of(d, d.length));
    return residue_of_signed(plus ? -carry : carry, m);
}

/* Joins `count` ranges of adjacent digits to ranges[0]. All work-items of the group call this
 * function. Work-item 0 may read the result at once. */
FN void join_all(LOCAL struct digit_range *ranges, u32 count, u64 m, u64 minv) {
    for (u32 k = 1; k < count; k *= 2) {
        BARRIER();
        for (u32 at = 2 * k * LOCAL_ID; at + k < count; at += 2 * k * WRAPAROUND_THREADS)
            ranges[at] = digit_range_join(ranges[at], ranges[at + k], m, minv);
    }
}

/* Computes the wrapped part of a product of two numbers of `length` digits. Each group handles
 * WRAPAROUND_THREADS times `each` digits of v; group 0 begins at digit 0. Group g stores
 * WRAPAROUND_ENTRIES entries, XORed with the key, from out[out_at + WRAPAROUND_ENTRIES g]. The
 * operands begin at even words; un and vn are even.
 *
 * up and down, and their quotients, are the factors of struct digit_powers. `least` is the
 * argument of digit_range_of. */
KERNEL(WRAPAROUND_THREADS)
digit_wraparound(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
                 GLOBAL const u32 *table_words, u64 table_at, u32 bits, u32 rest, u64 length,
                 u32 plus, u32 each, u64 up, u64 up_quotient, u64 down, u64 down_quotient,
                 u64 least, u64 out_at, u64 key, GLOBAL u64 *out) {
    LOCAL_ARRAY(struct digit_range, ranges, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 mine = LOCAL_ID == 0 ? key_of(key, out) : 0;
    const struct digits d = digits_make(bits, rest, length), pairs = digits_pairs(d);
    const u64 at = ((u64)GROUP_X * WRAPAROUND_THREADS + LOCAL_ID) * each;
    const struct digit_powers power = {{up, up_quotient}, {down, down_quotient}};
    struct digit_walk w = {0, 0, {0, 0}, 0, 0};
    struct digit_range range = {{0, 0, 0}, 0, 0, 0};
    u += u_at, v += v_at;
    struct pair_reader from_u = reader_of(u, un, digit_of(pairs, pairs.length - 1 - at / 2)),
                       from_v = reader_of(v, vn, digit_of(pairs, at / 2));
    for (u32 k = 0; k < each; k += 2) {
        digit_walk_next(&w, d, pairs, &from_u, &from_v, power, m);
        reader_down(&from_u, pairs);
        reader_up(&from_v, pairs);
    }
    range = digit_range_of(range.part, d, at, each, digit_least_bits(d, each), least, m);
    if (at + each == length)
        w.u += carry_in_ring(u, un, d, plus, m);
    range.part.u = residue_product(w.u, 1, m, minv);
    range.part.v =
        residue_product(digit_walk_down(w.v, w.below, pairs, power, m), range.up_v, m, minv);
    if (at == 0)
        range.part.v = residue_plus(range.part.v, carry_in_ring(v, vn, d, plus, m), m);
    range.part.sum = digit_walk_sum(&w, m, minv);
    ranges[LOCAL_ID] = range;
    join_all(ranges, WRAPAROUND_THREADS, m, minv);
    if (LOCAL_ID == 0) {
        out_at += (u64)GROUP_X * WRAPAROUND_ENTRIES;
        out[out_at] = ranges[0].part.u ^ mine;
        out[out_at + 1] = ranges[0].part.v ^ mine;
        out[out_at + 2] = ranges[0].part.sum ^ mine;
    }
}

/* Returns c, the digit above the highest of x's `length` digits. The transform adds c to digit 0
 * (kernels/fft/convolution.h), so the digits represent x - c (2^p - 1). x is not negative and has
 * at most p + 2 bits. */
FN u64 digits_beyond(GLOBAL const u32 *x, u64 words, struct digits d) {
    return (u64)digit_value(x, words, digit_of(d, d.length));
}

/* Adds (u v - S) / M modulo m to the quotient {q + q_at, 2}. M is 2^p - 1. S is the sum of the
 * coefficients of the product u v, plus the offset 2^o M. So (u v - S) / M is the wrapped part of
 * the digits' product, plus one term for each operand above M, minus 2^o. Only one group runs.
 *
 * - parts: the wrapped part, as `count` results of the kernel digit_wraparound for `each` digits;
 *   for a square, only the results of half the digits
 * - modulus: M in Montgomery form
 * - more: m - 2^o */
KERNEL(WRAPAROUND_THREADS)
digit_quotient(GLOBAL u32 *q, u64 q_at, GLOBAL const u64 *parts, u64 parts_at, u32 count, u64 each,
               u64 least, GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at,
               u64 vn, GLOBAL const u32 *table_words, u64 table_at, u32 bits, u32 rest, u64 length,
               u64 modulus, u64 more) {
    LOCAL_ARRAY(struct digit_range, ranges, WRAPAROUND_MOST);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], high = table[RESIDUE_HIGH];
    const struct digits d = digits_make(bits, rest, length);
    const u64 least_bits = digit_least_bits(d, each);
    for (u32 g = LOCAL_ID; g < count; g += WRAPAROUND_THREADS) {
        GLOBAL const u64 *from = parts + parts_at + WRAPAROUND_ENTRIES * g;
        const struct wraparound_part part = {from[0], from[1], from[2]};
        ranges[g] = digit_range_of(part, d, g * each, each, least_bits, least, m);
    }
    join_all(ranges, count, m, minv);
    if (LOCAL_ID == 0) {
        struct digit_range all = ranges[0];
        if (count * each < length)
            all = digit_range_join(all, digit_range_mirror(all, digits_all_bits(d), high, m, minv),
                                   m, minv);
        const u64 beyond_u = digits_beyond(u + u_at, un, d),
                  beyond_v = digits_beyond(v + v_at, vn, d);
        const u64 whole = residue_plus(residue_product(all.part.u, high, m, minv),
                                       residue_product(beyond_u, modulus, m, minv), m);
        q += q_at;
        u64 sum = residue_product(q[0] | (u64)q[1] << 32, table[RESIDUE_ONE], m, minv);
        sum = residue_plus(sum, more, m);
        sum = residue_plus(
            sum, residue_product(residue_product(all.part.sum, high, m, minv), high, m, minv), m);
        sum = residue_plus(
            sum, residue_product(residue_product(beyond_u, high, m, minv), all.part.v, m, minv), m);
        sum = residue_plus(
            sum, residue_product(residue_product(beyond_v, high, m, minv), whole, m, minv), m);
        q[0] = (u32)sum;
        q[1] = (u32)(sum >> 32);
    }
}
