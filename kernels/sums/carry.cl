/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries between work-groups: each chunk of a sum finds the carry that enters it from the flags of
 * the chunks below, and is incremented if there is a carry. */
#include "kernels/common/carry_below.h"

/* Adds a carry to words [begin, end) of r, up to the first word that is not all ones. Returns the
 * place of that word, or `end` if there is none; without a carry, `begin`. */
FN u64 chunk_increment(GLOBAL u32 *r, u64 begin, u64 end, u32 carry, LOCAL u32 *stops) {
    u32 going = carry;
    u64 stop = begin;
    for (u64 at = begin; at < end && going; at += CARRY_THREADS) {
        u64 i = at + LOCAL_ID;
        u32 x = i < end ? r[i] : 0u;
        u32 first = first_stop(stops, x != ~0u);
        if (i < end && LOCAL_ID <= first)
            r[i] = x + 1;
        going = first == CARRY_THREADS;
        stop = at + first;
    }
    return stop;
}

/* Group i adds the carry that enters it to its chunk, up to the first word that is not all ones.
 * The chunk is words [i * chunk, (i + 1) * chunk) of {r + r_at, words}. The last group stores the
 * carry out of its chunk in flags[GROUPS_X]. */
KERNEL(CARRY_THREADS)
carry_add(GLOBAL u32 *r, u64 r_at, u64 words, u32 chunk, GLOBAL u32 *flags) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    u64 begin = (u64)GROUP_X * chunk;
    u64 end = begin + chunk < words ? begin + chunk : words;
    u32 carry = carry_from_below(flags, GROUP_X, stops);
    chunk_increment(r + r_at, begin, end, carry, stops);
    if (GROUP_X == GROUPS_X - 1 && LOCAL_ID == 0)
        flags[GROUPS_X] = (flags[GROUP_X] & CARRY_GENERATE) | (flags[GROUP_X] >> 1 & carry);
}

/* Adds {high, CARRY_SURPLUS} + carry to the lowest SPAN words of r, or subtracts it. If a carry or
 * borrow would leave these words, returns 1 and does not change them; otherwise returns 0. */
FN u32 mulmod_reduce(GLOBAL u32 *r, const u32 *high, u32 carry, u32 subtract) {
    u32 x[SPAN], y[SPAN], on = subtract;
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        y[i] = (i < CARRY_SURPLUS ? high[i < CARRY_SURPLUS ? i : 0] : 0u) + carry;
        carry &= (u32)(y[i] == 0);
    }
    span_load(x, r, SPAN, 1, 0u);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        u64 t = (u64)x[i] + (subtract ? ~y[i] : y[i]) + on;
        x[i] = (u32)t;
        on = (u32)(t >> 32);
    }
    if (on == subtract)
        span_store(r, SPAN, x);
    return (u32)(on != subtract);
}

/* Resolves the carries between chunks of a number modulo B^n - 1, or modulo B^n + 1 if `subtract`
 * is 1. Also reduces the number: adds the words from word n on to the lowest words, or subtracts
 * them if `subtract` is 1. If there are several chunks, the last one has CARRY_SURPLUS such
 * words.
 *
 * Sets out[out_at] to 0 if the reduction succeeds. Sets it to 1, and leaves the lowest words
 * unchanged, if a carry of the reduction would go beyond the lowest SPAN words. */
KERNEL(CARRY_THREADS)
carry_mulmod(GLOBAL u32 *r, u64 r_at, u64 words, u32 chunk, GLOBAL const u32 *flags, u64 n,
             u32 subtract, GLOBAL u64 *out, u64 out_at) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    u64 begin = (u64)GROUP_X * chunk;
    u64 end = begin + chunk < words ? begin + chunk : words;
    u32 high[CARRY_SURPLUS] = {0, 0, 0, 0}, reduces = GROUP_X == GROUPS_X - 1 && LOCAL_ID == 0;
    u32 carry = carry_from_below(flags, GROUP_X, stops);
    if (reduces) {
        UNROLL
        for (int i = 0; i < CARRY_SURPLUS; i++)
            high[i] = r[r_at + n + i];
    }
    u64 stop = chunk_increment(r + r_at, begin, end, carry, stops);
    if (reduces)
        out[out_at] = mulmod_reduce(r + r_at, high, carry & (u32)(stop >= n), subtract);
}
