/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries between work-groups: each chunk of a sum finds the carry that enters it
 * from the flags of the chunks below, and is incremented if there is one. */
#include "carry.h"

/* The smallest work-item whose `stop` is set; CARRY_THREADS if none is. */
FN u32 first_stop(LOCAL u32 *stops, u32 stop) {
    u32 first = 0;
    stops[LOCAL_ID] = stop;
    BARRIER();
    while (first < CARRY_THREADS && !stops[first])
        first++;
    BARRIER();
    return first;
}

/* The carry into chunk `chunk`: from the nearest chunk below that does not merely
 * pass one on, or else carry_in.  The group looks at CARRY_THREADS flags at once. */
FN u32 carry_from_below(GLOBAL const u32 *flags, u32 chunk, u32 carry_in, LOCAL u32 *stops) {
    for (u32 top = chunk;; top -= CARRY_THREADS) {
        u32 passes = LOCAL_ID < top && flags[top - 1 - LOCAL_ID] == CARRY_PROPAGATE;
        u32 first = first_stop(stops, !passes);
        if (first < CARRY_THREADS)
            return first < top ? flags[top - 1 - first] & CARRY_GENERATE : carry_in;
    }
}

/* Group i adds the carry that enters it to its chunk, words [i * chunk, (i + 1) *
 * chunk) of {r + r_at, words}: up to the first word that is not all ones.  The
 * carry out of the last chunk goes to flags[GROUPS_X]. */
KERNEL(CARRY_THREADS)
carry_add(GLOBAL u32 *r, u64 r_at, u64 words, u32 chunk, GLOBAL u32 *flags, u32 carry_in) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    u64 begin = (u64)GROUP_X * chunk;
    u64 end = begin + chunk < words ? begin + chunk : words;
    u32 carry = carry_from_below(flags, GROUP_X, carry_in, stops), going = carry;
    for (u64 at = begin; at < end && going; at += CARRY_THREADS) {
        u64 i = at + LOCAL_ID;
        u32 x = i < end ? r[r_at + i] : 0u;
        u32 first = first_stop(stops, x != ~0u);
        if (i < end && LOCAL_ID <= first)
            r[r_at + i] = x + 1;
        going = first == CARRY_THREADS;
    }
    if (GROUP_X == GROUPS_X - 1 && LOCAL_ID == 0)
        flags[GROUPS_X] = (flags[GROUP_X] & CARRY_GENERATE) | (flags[GROUP_X] >> 1 & carry);
}
