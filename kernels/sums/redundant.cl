/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on numbers in redundant digits of 24 bits: sums, products by one digit, resolving, and
 * conversions from and to words. A work-item computes four digits, or converts 16 digits. Groups
 * are independent, except for carries of words (carry.cl). */
#include "kernels/sums/redundant.h"

#define SPAN DIGIT_SPAN_WORDS
#include "kernels/common/carry.h"

#if DIGIT_BITS != 24
#error "four digits are three words"
#endif

#define THREADS CARRY_THREADS

/* Loads digits i to i + 3 of {x, n}. Digits at or above n are 0. */
FN void digits_load(u32 *four, GLOBAL const u32 *x, u64 n, u64 i) {
    if (i + 4 <= n) {
        LOAD4(GLOBAL, four, x + i);
    } else {
        UNROLL
        for (int j = 0; j < 4; j++)
            four[j] = i + j < n ? x[i + j] : 0u;
    }
}

FN void digits_store(GLOBAL u32 *x, u64 n, u64 i, const u32 *four) {
    if (i + 4 <= n) {
        STORE4(x + i, four);
    } else {
        UNROLL
        for (int j = 0; j < 4; j++)
            if (i + j < n)
                x[i + j] = four[j];
    }
}

/* Loads digits i - 2 and i - 1 of {x, n}, for a multiple i of 4. Digits outside of the number are
 * 0. */
FN void digits_below(u32 *two, GLOBAL const u32 *x, u64 n, u64 i) {
    two[0] = two[1] = 0;
    if (i > 0 && i <= n)
        LOAD2(GLOBAL, two[0], two[1], x + i - 2);
    else if (i == n + 1)
        two[0] = x[i - 2];
}

#define FIRST_DIGIT (((u64)GROUP_X * THREADS + LOCAL_ID) * DIGIT_ITEM)

/* Copies {u, un} to {r, rn}, in order to measure the least time of a pass over memory. */
KERNEL(THREADS)
redundant_copy(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at,
               u64 un) {
    u32 x[4];
    digits_load(x, u + u_at, un, FIRST_DIGIT);
    digits_store(r + r_at, rn, FIRST_DIGIT, x);
}

/* Sets {r, un} to {u, un} + {v, vn}, or to {u, un} - {v, vn} if the sign is -1; un >= vn; r may be
 * u or v. */
KERNEL(THREADS)
redundant_add(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v,
              u64 v_at, u64 vn, u32 sign) {
    u64 i = FIRST_DIGIT;
    u32 x[4], y[4];
    digits_load(x, u + u_at, un, i);
    digits_load(y, v + v_at, vn, i);
    UNROLL
    for (int j = 0; j < 4; j++)
        x[j] += sign * y[j];
    digits_store(r + r_at, un, i, x);
}

/* Sets {r, rn} to k {u, un} for |k| <= 2^24, without the digits from digit rn. r does not overlap
 * u. */
KERNEL(THREADS)
redundant_mul_1(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at,
                u64 un, u32 k) {
    u64 i = FIRST_DIGIT;
    u32 x[4], below[2];
    digits_load(x, u + u_at, un, i);
    digits_below(below, u + u_at, un, i);
    s64 t2 = (s64)(s32)below[0] * (s32)k, t1 = (s64)(s32)below[1] * (s32)k;
    UNROLL
    for (int j = 0; j < 4; j++) {
        s64 t0 = (s64)(s32)x[j] * (s32)k;
        x[j] = (u32)digit_sum3(t0, t1, t2);
        t2 = t1, t1 = t0;
    }
    digits_store(r + r_at, rn, i, x);
}

/* Sets {r, rn} to the lowest rn digits of {u, un}, after carries between digits are resolved. The
 * digits are then at most slightly above B/2 in magnitude (redundant.h). r does not overlap u. */
KERNEL(THREADS)
redundant_resolve(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at,
                  u64 un) {
    u64 i = FIRST_DIGIT;
    u32 x[4], below[2];
    digits_load(x, u + u_at, un, i);
    digits_below(below, u + u_at, un, i);
    UNROLL
    for (int j = 0; j < 4; j++) {
        u32 digit = x[j];
        x[j] = (u32)digit_resolve((s32)digit, (s32)below[1]);
        below[1] = digit;
    }
    digits_store(r + r_at, rn, i, x);
}

#define SPAN_NUMBER ((u64)GROUP_X * THREADS + LOCAL_ID)

/* Converts words to rn digits 0 <= r[i] < 2^24. */
KERNEL(THREADS)
redundant_from_words(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u,
                     u64 u_at, u64 un) {
    u64 at = SPAN_NUMBER * SPAN, i = SPAN_NUMBER * DIGIT_SPAN;
    UNROLL
    for (int k = 0; k < DIGIT_SPAN / 4; k++) {
        u32 w[3], x[4];
        UNROLL
        for (int j = 0; j < 3; j++)
            w[j] = at + 3 * k + j < un ? u[u_at + at + 3 * k + j] : 0u;
        x[0] = w[0] & 0xffffff;
        x[1] = w[0] >> 24 | (w[1] & 0xffff) << 8;
        x[2] = w[1] >> 16 | (w[2] & 0xff) << 16;
        x[3] = w[2] >> 8;
        digits_store(r + r_at, rn, i + 4 * k, x);
    }
}

/* Converts signed digits x[i] to words: computes the sum of x[i] B^i modulo 2^(32 rn), where B =
 * 2^24. The sum is E + O - S:
 * - E: the sum of the even-numbered digits, with 2^31 added to each. Its fields of 32 bits, at
 *   steps of 48 bits, do not overlap.
 * - O: the same for the odd-numbered digits
 * - S: the sum of all added 2^31. In -S, bit 31 is a one. All bits above it are ones, except bits
 *   7 modulo 24.
 *
 * E, O and -S are reduced to two numbers with the same sum. One has the parities of the three
 * numbers' bits. The other has the majorities of these bits, one place higher. */

#define TOP_BIT 0x80000000u

/* Computes words 3k to 3k + 2 of the numbers E and O, from digits 4k - 1 to 4k + 3. E is the sum
 * of the even-numbered digits, O of the odd-numbered ones, with 2^31 added to each digit. `below`
 * is digit 4k - 1; x has the other digits. */
FN void digit_fields(u32 *even, u32 *odd, u32 below, const u32 *x) {
    u32 z0 = x[0] ^ TOP_BIT, z1 = x[1] ^ TOP_BIT, z2 = x[2] ^ TOP_BIT, z3 = x[3] ^ TOP_BIT;
    even[0] = z0, odd[0] = (below ^ TOP_BIT) >> 24 | z1 << 24;
    even[1] = z2 << 16, odd[1] = z1 >> 8;
    even[2] = z2 >> 16, odd[2] = z3 << 8;
}

FN u32 majority(u32 a, u32 b, u32 c) {
    return (a & b) | (c & (a | b));
}

/* Words 3k to 3k + 2 of -S, the constant that removes the 2^31 added to each digit. Word 0 is
 * TOP_BIT instead. */
#define OFFSET_0 0x7fffff7fu
#define OFFSET_1 0xff7fffffu
#define OFFSET_2 0xffff7fffu

KERNEL(THREADS)
redundant_to_words(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at,
                   u64 un, GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, flags, THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 at = SPAN_NUMBER * SPAN, i = SPAN_NUMBER * DIGIT_SPAN;
    u32 x[SPAN], y[SPAN], below[2], top;
    /* Majorities are shifted up by one bit, so the highest bit of a word's majority enters the
     * next word. Here `top` becomes the majority of the word below this work-item's words, or 0 if
     * there is none. */
    digits_below(below, u + u_at, un, i);
    top = i > 0 ? majority((below[0] ^ TOP_BIT) >> 16, below[1] << 8, OFFSET_2) : 0u;
    UNROLL
    for (int k = 0; k < DIGIT_SPAN / 4; k++) {
        const u32 offset[3] = {at + k == 0 ? TOP_BIT : OFFSET_0, OFFSET_1, OFFSET_2};
        u32 four[4], even[3], odd[3];
        digits_load(four, u + u_at, un, i + 4 * k);
        digit_fields(even, odd, at + k == 0 ? TOP_BIT : below[1], four);
        below[1] = four[3];
        UNROLL
        for (int j = 0; j < 3; j++) {
            u32 most = majority(even[j], odd[j], offset[j]);
            x[3 * k + j] = even[j] ^ odd[j] ^ offset[j];
            y[3 * k + j] = most << 1 | top >> 31;
            top = most;
        }
    }
    u32 flag = span_add(x, y);
    span_finish(r + r_at + at, at < rn ? rn - at : 0, x, flag, 0, flags, rows, group_flags);
}
