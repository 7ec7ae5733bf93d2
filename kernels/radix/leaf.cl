/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts the leaves of radix conversions, which are parts of the text (text.h): chunks of digits
 * to numbers, and fractions to chunks of digits.
 *
 * Fractions. A leaf has d digits to the base b; leaf 0 is the lowest leaf. Let x < 1 be the exact
 * fraction that remains for leaf i and the leaves below. Then x b^d = D + x': the integer D has
 * the digits of leaf i, and x' is the fraction of leaf i-1 (0 for leaf 0).
 *
 * The kernel does not have x, but y = x + e modulo 1. The error e >= 0 is below RADIX_ERROR units
 * of a guard word. So y b^d = D + x' + h with 0 <= h < 2^-25. Rounded down, it is D if x' + h <
 * 1. Otherwise it is D + 1 modulo b^d: the digits are too large by 1. These rules decide which:
 *
 * - If the fraction of y b^d is at least 2^-25, the digits are D. Otherwise the leaf is
 *   LEAF_CLOSE: x' is below 2^-25, or above 1 - 2^-25. Only in the latter case are the digits too
 *   large by 1.
 * - Let y' be the computed fraction of leaf i-1. If y' is at least 1/2 (LEAF_HIGH), x' is not
 *   small: the digits are too large by 1.
 * - If y' is less, x' can be large only if y' = x' + e' - 1, where e' is the error of y'. Then y'
 *   is so small that the digits of leaf i-1 are zeros (LEAF_ZERO), and they are too large by 1
 *   themselves. Conversely, if the digits of leaf i-1 are zeros and too large by 1, the right
 *   digits are b^d - 1, and so x' is large.
 *
 * The 1 that must be subtracted is a borrow. Leaf i generates it if leaf i is CLOSE and leaf i-1
 * is HIGH. Leaf i propagates it if leaf i is CLOSE and leaf i-1 is ZERO. There is no borrow into
 * leaf 0. */
#include "kernels/radix/text.h"

#define CARRY_THREADS RADIX_THREADS
#include "kernels/common/carry.h"

#define FRACTION_WORDS (RADIX_LEAF_WORDS + 1)

/* Sets {r + i words, words} to the number of leaf i (a part of the text), computed from the leaf's
 * chunks of digits. One leaf for each work-item. */
KERNEL(RADIX_THREADS)
leaf_set(GLOBAL u32 *r, u64 r_at, u64 words, GLOBAL const u32 *in, u64 in_at, u64 leaves, u32 base,
         u32 per, u32 chunks) {
    u64 leaf = (u64)GROUP_X * RADIX_THREADS + LOCAL_ID;
    if (leaf < leaves) {
        u32 a[RADIX_LEAF_WORDS], radix = text_power(base, per);
        UNROLL
        for (int i = 0; i < RADIX_LEAF_WORDS; i++)
            a[i] = 0;
        for (u32 chunk = 0; chunk < chunks; chunk++) {
            u64 t = in[in_at + leaf * chunks + chunk];
            UNROLL
            for (int i = 0; i < RADIX_LEAF_WORDS; i++) {
                t += (u64)a[i] * radix;
                a[i] = (u32)t;
                t >>= 32;
            }
        }
        UNROLL
        for (int i = 0; i < RADIX_LEAF_WORDS; i++)
            if ((u32)i < words)
                r[r_at + leaf * words + i] = a[i];
    }
}

/* Copies {y, words} to the upper end of {a, FRACTION_WORDS} and adds RADIX_BIAS units of y's lowest
 * word. */
FN void fraction_load(u32 *a, GLOBAL const u32 *y, u32 words) {
    u32 first = FRACTION_WORDS - words;
    u64 carry = 0;
    UNROLL
    for (int i = 0; i < FRACTION_WORDS; i++) {
        carry += (u32)i >= first ? y[(u32)i - first] : 0u;
        carry += (u32)i == first ? RADIX_BIAS : 0u;
        a[i] = (u32)carry;
        carry >>= 32;
    }
}

/* Converts the fraction of each leaf to chunks of digits, rounded down. The fraction of leaf i is
 * {y + y_at + i words, words}, with words <= FRACTION_WORDS. Its chunks go to `out`, from out_at
 * + i chunks. info[info_at + i] gets flags (LEAF_...): whether the fraction is at least 1/2, all
 * digits are zeros, or the fraction below the digits is close to 0. One leaf for each work-item. */
KERNEL(RADIX_THREADS)
leaf_get(GLOBAL u32 *out, u64 out_at, GLOBAL u32 *info, u64 info_at, GLOBAL const u32 *y, u64 y_at,
         u32 words, u64 leaves, u32 base, u32 per, u32 head, u32 chunks) {
    u64 leaf = (u64)GROUP_X * RADIX_THREADS + LOCAL_ID;
    if (leaf < leaves) {
        u32 a[FRACTION_WORDS], radix = text_power(base, head), any = 0, known;
        fraction_load(a, y + y_at + leaf * words, words);
        known = a[FRACTION_WORDS - 1] >> 31 ? LEAF_HIGH : 0u;
        for (u32 chunk = 0; chunk < chunks; chunk++) {
            u64 t = 0;
            UNROLL
            for (int i = 0; i < FRACTION_WORDS; i++) {
                t += (u64)a[i] * radix;
                a[i] = (u32)t;
                t >>= 32;
            }
            out[out_at + leaf * chunks + chunk] = (u32)t;
            any |= (u32)t;
            radix = chunk == 0 ? text_power(base, per) : radix;
        }
        known |= any ? 0u : LEAF_ZERO;
        known |= a[FRACTION_WORDS - 1] < RADIX_ERROR ? LEAF_CLOSE : 0u;
        info[info_at + leaf] = known;
    }
}

/* Returns whether a leaf (a part of the text) generates or propagates a borrow. */
FN u32 borrow_flag(GLOBAL const u32 *info, u64 leaf, u64 leaves) {
    u32 below = leaf > 0 && leaf < leaves ? info[leaf - 1] : 0u;
    u32 is_close = leaf < leaves ? info[leaf] & LEAF_CLOSE : 0u;
    u32 flag = below & LEAF_HIGH ? CARRY_GENERATE : below & LEAF_ZERO ? CARRY_PROPAGATE : 0u;
    return is_close ? flag : 0u;
}

/* Computes one carry flag for each group of RADIX_THREADS leaves (parts of the text). */
KERNEL(RADIX_THREADS)
leaf_chain(GLOBAL u32 *group_flags, u64 flags_at, GLOBAL const u32 *info, u64 info_at, u64 leaves) {
    LOCAL_ARRAY(u32, flags, RADIX_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u32 group;
    u64 leaf = (u64)GROUP_X * RADIX_THREADS + LOCAL_ID;
    group_carry(borrow_flag(info + info_at, leaf, leaves), 0, flags, rows, &group);
    if (LOCAL_ID == 0)
        group_flags[flags_at + GROUP_X] = group;
}

/* Returns the borrow into this group's lowest leaf (part of the text) from the groups below. */
FN u32 borrow_below(GLOBAL const u32 *group_flags) {
    u32 g = GROUP_X;
    while (g > 0 && group_flags[g - 1] == CARRY_PROPAGATE)
        g--;
    return g > 0 ? group_flags[g - 1] & CARRY_GENERATE : 0u;
}

/* Some leaves' digits were rounded to a number too large by 1: subtracts 1 from it. Subtracting 1
 * from 0 gives the largest number of a leaf's digits. */
KERNEL(RADIX_THREADS)
leaf_resolve(GLOBAL u32 *out, u64 out_at, GLOBAL const u32 *info, u64 info_at,
             GLOBAL const u32 *group_flags, u64 flags_at, u64 leaves, u32 base, u32 per, u32 head,
             u32 chunks) {
    LOCAL_ARRAY(u32, flags, RADIX_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 leaf = (u64)GROUP_X * RADIX_THREADS + LOCAL_ID;
    u32 flag = borrow_flag(info + info_at, leaf, leaves), group;
    carry_rows(flag, flags, rows);
    u32 in = carry_in_group(rows, 0, borrow_below(group_flags + flags_at), &group);
    u32 borrow = leaf < leaves && (flag & CARRY_GENERATE || (flag & CARRY_PROPAGATE && in));
    for (u32 chunk = chunks; borrow && chunk-- > 0;) {
        u64 at = out_at + leaf * chunks + chunk;
        u32 number = out[at];
        borrow = number == 0;
        out[at] = (borrow ? text_power(base, chunk == 0 ? head : per) : number) - 1;
    }
}
