/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last kernel of a product of Schoenhage and Strassen. It sums the product's coefficients,
 * integers in digits of 24 bits, each shifted by a given number of bits more than the one before.
 * It leaves the carries between groups to other kernels. */
#include "kernels/common/carry.h"

#define DIGIT_BITS 24
#define SPAN_BITS (32 * SPAN)
/* The number of digits of 24 bits that cover SPAN words, wherever in a digit these begin: 12 x 24
 * >= 23 + SPAN_BITS. */
#define DIGITS 12
#if SPAN != 8
#error "a span has 8 words"
#endif

/* Adds SPAN_BITS bits of a coefficient, from bit number `bit` > -SPAN_BITS on, to {x, SPAN}. The
 * coefficient has 2^log_p digits; bits outside of it are 0. Returns the carry out. */
FN u32 span_add_bits(u32 *x, GLOBAL const u32 *coefficient, s32 bit, u32 log_p) {
    u32 from = (u32)(bit + DIGIT_BITS * DIGITS), q = from / DIGIT_BITS - DIGITS;
    u32 shift = from % DIGIT_BITS, packed[DIGITS / 4 * 3], carry = 0;
    UNROLL
    for (u32 i = 0; i < DIGITS; i += 4) {
        u32 d[4];
        UNROLL
        /* a negative digit number wraps around, so it is beyond the end too */
        for (u32 k = 0; k < 4; k++)
            d[k] = q + i + k < 1u << log_p ? coefficient[q + i + k] : 0u;
        packed[i / 4 * 3] = d[0] | d[1] << 24;
        packed[i / 4 * 3 + 1] = d[1] >> 8 | d[2] << 16;
        packed[i / 4 * 3 + 2] = d[2] >> 16 | d[3] << 8;
    }
    UNROLL
    for (u32 i = 0; i < SPAN; i++) {
        u64 both = (u64)packed[i + 1] << 32 | packed[i],
            t = (u64)x[i] + (u32)(both >> shift) + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
    }
    return carry;
}

/* Sets {r + r_at, words} to the sum of x[i] 2^(i bits) over i < 2^log_n. A coefficient x[i] is
 * below 2^reach, and reach <= 24 2^log_p. Each work-item of a group sums SPAN words of the result.
 * The sum may exceed SPAN words; the next work-item adds this excess. The group's first work-item
 * stores nothing, and only computes the excess from below. r_at is a multiple of 4. */
KERNEL(CARRY_THREADS)
ssa_sum(GLOBAL u32 *r, u64 r_at, u64 words, GLOBAL const u32 *RESTRICT x, u32 log_n, u32 log_p,
        u32 bits, u32 reach, GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, out, CARRY_THREADS);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    /* A span is SPAN words of the result. Spans are numbered from 1; span 0 is below the result,
     * and has no coefficients. */
    u32 id = LOCAL_ID, span = GROUP_X * (CARRY_THREADS - 1) + id;
    u32 acc[SPAN], above[SPAN], high = 0;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        acc[i] = above[i] = 0;
    if (span > 0) {
        u64 first = (u64)(span - 1) * SPAN_BITS, last = (first + SPAN_BITS - 1) / bits;
        u32 i = last < 1u << log_n ? (u32)last : (1u << log_n) - 1u;
        for (u64 at = (u64)i * bits; at + reach > first; at -= bits, i--) {
            high += span_add_bits(acc, x + ((u64)i << log_p), (s32)(first - at), log_p);
            if (i == 0)
                break;
        }
    }
    out[id] = high;
    BARRIER();
    if (id > 0)
        above[0] = out[id - (id > 0)];
    u32 flag = span_add(acc, above);
    u64 at = (u64)(span - 1) * SPAN;
    span_finish(r + r_at + at, at < words ? words - at : 0, acc, flag, 1, flags, rows, group_flags);
}
