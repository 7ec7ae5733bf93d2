/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reduces numbers modulo M = 2^p - 1: with x = h 2^p + l and l < 2^p, the remainder is l + h, or l
 * + h - M if this is not less than M. If the sum l + h exceeds p bits, the carry out of these bits
 * is added at the lowest bit. If all p bits of the sum are ones, 1 is added, too, so that they
 * become zeros. */
#include "kernels/check/chain.h"
#include "kernels/common/carry_below.h"

/* Returns which bits of word i are below bit p. */
FN u32 bits_below(u64 p, u64 i) {
    return i < p / 32 ? ~0u : i == p / 32 ? (1u << p % 32) - 1u : 0u;
}

/* Returns floor({x, words} / 2^p), which is below 2^64. */
FN u64 part_above(GLOBAL const u32 *x, u64 words, u64 p) {
    const u64 i = p / 32;
    const u32 low = i < words ? x[i] : 0u, middle = i + 1 < words ? x[i + 1] : 0u,
              high = i + 2 < words ? x[i + 2] : 0u;
    return ((u64)middle << 32 | low) >> (p % 32) | (u64)high << 1 << (63 - p % 32);
}

/* Adds the two parts of {x, xn}: its lowest p bits and its bits above, at most 64. Sets {r, rn} to
 * the sum without the carries between groups, which mersenne_carry adds. A group computes
 * CARRY_CHUNK words. x does not overlap r. r_at is a multiple of 4, and 32 rn is at least p. */
KERNEL(CARRY_THREADS)
mersenne_fold(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT x, u64 x_at,
              u64 xn, u64 p, GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    const u64 at = ((u64)GROUP_X * CARRY_THREADS + LOCAL_ID) * SPAN;
    const u64 h = at == 0 ? part_above(x + x_at, xn, p) : 0;
    u32 a[SPAN], b[SPAN], group;
    span_load(a, x + x_at + at, at < xn ? xn - at : 0, x_at % 4 == 0, 0u);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        a[i] |= ~bits_below(p, at + i); /* ones above bit p pass on a carry */
        b[i] = i == 0 ? (u32)h : i == 1 ? (u32)(h >> 32) : 0u;
    }
    const u32 flag = span_add(a, b);
    span_increment(a, group_carry(flag, 0, flags, rows, &group));
    if (LOCAL_ID == 0)
        group_flags[GROUP_X] = group;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        a[i] &= bits_below(p, at + i);
    span_store(r + r_at + at, at < rn ? rn - at : 0, a);
}

/* Returns the carry into chunk `chunk` of `count` chunks, as carry_from_below does. But chunk 0
 * follows the last chunk. If all chunks propagate a carry, the carry is 1. */
FN u32 carry_around(GLOBAL const u32 *flags, u32 chunk, u32 count, LOCAL u32 *stops) {
    for (u32 done = 0; done < count; done += CARRY_THREADS) {
        const u32 back = done + LOCAL_ID,
                  from = back < chunk ? chunk - 1 - back : chunk + count - 1 - back;
        const u32 passes = back < count && flags[from] == CARRY_PROPAGATE,
                  first = done + first_stop(stops, !passes);
        if (first < done + CARRY_THREADS)
            return first >= count
                       ? 1u
                       : flags[first < chunk ? chunk - 1 - first : chunk + count - 1 - first] &
                             CARRY_GENERATE;
    }
    return 1;
}

/* Adds the carries to r, the result of mersenne_fold, with the same groups. Stores the quotient of
 * x by 2^p - 1 to {q, 4}. q overlaps neither r nor x. */
KERNEL(CARRY_THREADS)
mersenne_carry(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *x, u64 x_at, u64 xn, u64 p, GLOBAL u32 *q,
               u64 q_at, GLOBAL const u32 *group_flags) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    const u64 begin = (u64)GROUP_X * CARRY_CHUNK, words = (p + 31) / 32;
    const u32 carry = carry_around(group_flags, GROUP_X, GROUPS_X, stops);
    u32 going = carry;
    r += r_at;
    for (u64 at = begin; at < begin + CARRY_CHUNK && at < words && going; at += CARRY_THREADS) {
        const u64 i = at + LOCAL_ID;
        const u32 ones = bits_below(p, i), w = i < words ? r[i] : 0u,
                  first = first_stop(stops, i < words && w != ones);
        if (i < words && LOCAL_ID <= first)
            r[i] = (w + 1) & ones;
        going = first == CARRY_THREADS;
    }
    if (GROUP_X == 0 && LOCAL_ID < 4) {
        const u64 quotient = part_above(x + x_at, xn, p) + carry;
        q[q_at + LOCAL_ID] = LOCAL_ID == 0   ? (u32)quotient
                             : LOCAL_ID == 1 ? (u32)(quotient >> 32)
                                             : 0u;
    }
}

/* If {x, words} is below 2^p - 1, advances the check's state of two words at state[state_at] by
 * `demand` (kernels/check/chain.h). Only one group runs. It reads x up to the first word that has a
 * zero bit, and the words from bit p up. */
KERNEL(CARRY_THREADS)
mersenne_less(GLOBAL const u32 *x, u64 x_at, u64 words, u64 p, u32 demand, GLOBAL u32 *state,
              u64 state_at) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    const u64 end = (p + 31) / 32;
    u32 first = CARRY_THREADS, is_long = 0;
    x += x_at;
    for (u64 at = 0; at < end && first == CARRY_THREADS; at += CARRY_THREADS) {
        const u64 i = at + LOCAL_ID;
        first = first_stop(stops, i < end && (i < words ? x[i] : 0u) != bits_below(p, i));
    }
    for (u64 i = p / 32 + LOCAL_ID; i < words; i += CARRY_THREADS)
        is_long |= x[i] & ~bits_below(p, i);
    is_long = first_stop(stops, is_long != 0) < CARRY_THREADS;
    if (LOCAL_ID == 0 && first < CARRY_THREADS && !is_long) {
        const u64 next = chain_next(state[state_at] | (u64)state[state_at + 1] << 32, demand);
        state[state_at] = (u32)next;
        state[state_at + 1] = (u32)(next >> 32);
    }
}
