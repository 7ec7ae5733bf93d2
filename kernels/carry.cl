/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries between work-groups: the scan over the groups' flags, and the
 * increment of the groups that a carry enters. */
#include "carry.h"

/* One group of CARRY_THREADS work-items: turn flags[0..count) of the groups into
 * the carries (0 or 1) that enter them, with carry_in into the first;
 * flags[count] becomes the carry that leaves the last. */
KERNEL(CARRY_THREADS)
carry_scan(GLOBAL u32 *flags, u32 count, u32 carry_in) {
    LOCAL_ARRAY(u32, share, CARRY_THREADS);
    u32 each = (count + CARRY_THREADS - 1) / CARRY_THREADS;
    u32 begin = MIN32(LOCAL_ID * each, count), end = MIN32(begin + each, count);
    u32 out0 = 0, out1 = 1; /* what leaves this share for a carry of 0, of 1 */
    for (u32 i = begin; i < end; i++) {
        u32 f = flags[i];
        out0 = (f & 1u) | (f >> 1 & out0);
        out1 = (f & 1u) | (f >> 1 & out1);
    }
    share[LOCAL_ID] = out0 | out1 << 1;
    BARRIER();
    u32 carry = carry_in;
    for (u32 i = 0; i < LOCAL_ID; i++)
        carry = share[i] >> carry & 1u;
    for (u32 i = begin; i < end; i++) {
        u32 f = flags[i];
        flags[i] = carry;
        carry = (f & 1u) | (f >> 1 & carry);
    }
    if (LOCAL_ID == CARRY_THREADS - 1)
        flags[count] = carry;
}

/* Group i adds carries[i] to its chunk, words [i * chunk, (i + 1) * chunk) of
 * {r + r_at, words}: up to the first word that is not all ones. */
KERNEL(CARRY_THREADS)
carry_add(GLOBAL u32 *r, u64 r_at, u64 words, u32 chunk, GLOBAL const u32 *carries) {
    LOCAL_ARRAY(u32, stop, CARRY_THREADS);
    u64 begin = (u64)GROUP_X * chunk;
    u64 end = begin + chunk < words ? begin + chunk : words;
    u32 going = carries[GROUP_X];
    for (u64 at = begin; at < end && going; at += CARRY_THREADS) {
        u64 i = at + LOCAL_ID;
        u32 x = i < end ? r[r_at + i] : 0u;
        stop[LOCAL_ID] = x != ~0u;
        BARRIER();
        u32 first = 0;
        while (first < CARRY_THREADS && !stop[first])
            first++;
        if (i < end && LOCAL_ID <= first)
            r[r_at + i] = x + 1;
        going = first == CARRY_THREADS;
        BARRIER();
    }
}
