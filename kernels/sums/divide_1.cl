/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divides a number by one word d, whose highest bit is set, in three launches. The first computes
 * the remainder of each chunk of DIVIDE_1_CHUNK words by d. The second computes, from these, the
 * remainder of all words above each chunk. The third divides the chunks; each work-item begins with
 * the remainder of all words above its own. */
#include "kernels/sums/divide_1.h"

/* Returns the remainder of the parts of all work-items above this one. `mine` is the remainder of
 * this work-item's part. All parts have the same number of bits, and `power` is 2 to this number,
 * modulo d. `rests` has DIVIDE_1_THREADS words; rests[0] becomes the remainder of all parts. */
FN u32 rest_above(LOCAL u32 *rests, u32 mine, u32 power, u32 d, u32 v) {
    for (u32 count = 1; count < DIVIDE_1_THREADS; count *= 2) {
        rests[LOCAL_ID] = mine;
        BARRIER();
        if (LOCAL_ID + count < DIVIDE_1_THREADS)
            mine = divide_1_join(rests[LOCAL_ID + count], power, mine, d, v);
        power = divide_1_join(power, power, 0, d, v);
        BARRIER();
    }
    rests[LOCAL_ID] = mine;
    BARRIER();
    return LOCAL_ID + 1 < DIVIDE_1_THREADS ? rests[LOCAL_ID + 1] : 0;
}

/* Loads the work-item's words of {u, words}, with zeros above. Returns their remainder. */
FN u32 load(u32 *x, GLOBAL const u32 *u, u64 at, u64 words, u32 d, u32 v) {
    u32 rest = 0;
    UNROLL
    for (u32 i = 0; i < DIVIDE_1_WORDS; i += 4) {
        x[i] = x[i + 1] = x[i + 2] = x[i + 3] = 0;
        if (at + i < words)
            LOAD4(GLOBAL, (x + i), u + at + i);
    }
    UNROLL
    for (u32 i = DIVIDE_1_WORDS; i-- > 0;)
        divide_1_step(&rest, x[i], d, v);
    return rest;
}

FN u64 place(void) {
    return ((u64)GROUP_X * DIVIDE_1_THREADS + LOCAL_ID) * DIVIDE_1_WORDS;
}

/* Sets remainder[g] to the remainder of chunk g of {u, words}. u_at and words are multiples of 4.
 * `power` is 2^(32 DIVIDE_1_WORDS) modulo d. */
KERNEL(DIVIDE_1_THREADS)
divide_1_chunks(GLOBAL u32 *remainder, GLOBAL const u32 *u, u64 u_at, u64 words, u32 power, u32 d,
                u32 v) {
    LOCAL_ARRAY(u32, rests, DIVIDE_1_THREADS);
    u32 x[DIVIDE_1_WORDS];
    rest_above(rests, load(x, u + u_at, place(), words, d, v), power, d, v);
    if (LOCAL_ID == 0)
        remainder[GROUP_X] = rests[0];
}

/* Replaces the remainder of each of `count` chunks by the remainder of all chunks above it. Only
 * one group runs, and each of its work-items has `each` chunks. `power` is 2^(32 DIVIDE_1_CHUNK)
 * modulo d, and part_power is power^each modulo d. */
KERNEL(DIVIDE_1_THREADS)
divide_1_scan(GLOBAL u32 *remainder, u32 count, u32 each, u32 power, u32 part_power, u32 d, u32 v) {
    LOCAL_ARRAY(u32, rests, DIVIDE_1_THREADS);
    const u32 first = LOCAL_ID * each;
    u32 mine = 0;
    for (u32 i = each; i-- > 0;)
        mine = divide_1_join(mine, power, first + i < count ? remainder[first + i] : 0, d, v);
    u32 above = rest_above(rests, mine, part_power, d, v);
    for (u32 i = each; i-- > 0;)
        if (first + i < count) {
            u32 chunk = remainder[first + i];
            remainder[first + i] = above;
            above = divide_1_join(above, power, chunk, d, v);
        }
}

/* Sets {r, words} to the quotient of {u, words}; r may be u. `remainder` is the result of
 * divide_1_scan, and the other arguments are those of divide_1_chunks. */
KERNEL(DIVIDE_1_THREADS)
divide_1(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u64 words,
         GLOBAL const u32 *remainder, u32 power, u32 d, u32 v) {
    LOCAL_ARRAY(u32, rests, DIVIDE_1_THREADS);
    const u32 beyond = remainder[GROUP_X];
    const u64 at = place();
    u32 x[DIVIDE_1_WORDS], mine = load(x, u + u_at, at, words, d, v);
    if (LOCAL_ID == DIVIDE_1_THREADS - 1)
        mine = divide_1_join(beyond, power, mine, d, v);
    u32 rest = rest_above(rests, mine, power, d, v);
    if (LOCAL_ID == DIVIDE_1_THREADS - 1)
        rest = beyond;
    UNROLL
    for (u32 i = DIVIDE_1_WORDS; i-- > 0;)
        x[i] = divide_1_step(&rest, x[i], d, v);
    UNROLL
    for (u32 i = 0; i < DIVIDE_1_WORDS; i += 4)
        if (at + i < words)
            STORE4(r + r_at + at + i, (x + i));
}
