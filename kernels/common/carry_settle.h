/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries between groups (carry.h) in the launch that makes the sum: the group that comes last
 * settles them.  That is for NVIDIA's OpenCL, where a launch of their own (kernels/sums/carry.cl)
 * costs more.  PoCL 3.1 gets it wrong. */
#ifndef CARRY_SETTLE_H
#define CARRY_SETTLE_H

#include "kernels/common/carry.h"

/* The most groups whose carries one of them can settle, which looks at a flag a work-item. */
#define CARRY_SETTLED (CARRY_THREADS - 1)

#if defined(LOCAL_ID)
/* The smallest work-item whose `stop` is set; CARRY_THREADS if none is. */
FN u32 first_stop(LOCAL u32 *stops, u32 stop) {
    u32 first = 0;
    stops[LOCAL_ID] = stop;
    BARRIER();
    while (first < CARRY_THREADS &&
           !(stops[first] | stops[first + 1] | stops[first + 2] | stops[first + 3]))
        first += 4;
    while (first < CARRY_THREADS && !stops[first])
        first++;
    BARRIER();
    return first;
}

/* Adds 1 to words [begin, end) of r, up to the first that is not all ones: SPAN a work-item at a
 * time, since there may be many chunks of ones.  Inlined it makes nvcc 13.0 spill in crt. */
NOINLINE void chunk_increment_far(GLOBAL u32 *r, u64 begin, u64 end, LOCAL u32 *stops) {
    for (u64 at = begin, going = 1; at < end && going; at += CARRY_CHUNK) {
        u64 i = at + SPAN * LOCAL_ID;
        u32 ones = 0, first;
        while (ones < SPAN && i + ones < end && r[i + ones] == ~0u)
            ones++;
        first = first_stop(stops, ones < SPAN);
        for (u32 k = 0; k < ones && LOCAL_ID <= first; k++)
            r[i + k] = 0;
        if (LOCAL_ID == first && i + ones < end)
            r[i + ones]++;
        going = first == CARRY_THREADS;
    }
}

/* Whether this group comes last of those that are `counted` (1: all, 0: none is); what the others
 * wrote is seen by it then.  *control is 0 before and after. */
FN u32 comes_last(GLOBAL u32 *control, u32 counted, LOCAL u32 *scratch) {
    if (counted)
        FENCE_DEVICE();
    BARRIER();
    if (LOCAL_ID == 0) {
        scratch[0] = counted && ATOMIC_INCREMENT(control) == GROUPS_X - 1;
        if (scratch[0])
            *control = 0; /* for the next launch */
    }
    BARRIER();
    if (counted)
        FENCE_DEVICE();
    return scratch[0];
}

/* Carries go through {r, words} in chunks of `chunk` words, a group each with its flag, in the
 * group that comes last: at most CARRY_SETTLED groups.  The carry out is group_flags[GROUPS_X].
 * Where `settles` is 0 nothing happens, and `control` is any.  flags[CARRY_THREADS] and
 * rows[2 * CARRY_ROWS] are local scratch. */
FN void carry_settle(GLOBAL u32 *r, u64 words, u32 chunk, GLOBAL u32 *group_flags,
                     GLOBAL u32 *control, u32 settles, LOCAL u32 *flags, LOCAL u32 *rows) {
#if !defined(__OPENCL_VERSION__) || defined(__NV_CL_C_VERSION) /* nobody else is asked to */
#if defined(__CUDACC__) || defined(__NV_CL_C_VERSION)
    if (!settles)
        return;
#endif
    u32 id = LOCAL_ID, count = comes_last(control, settles, flags) ? GROUPS_X : 0u, unused;
    u64 begin = (u64)id * chunk, end = begin + chunk < words ? begin + chunk : words;
    BARRIER(); /* all have read what comes_last left in `flags` */
    u32 going = group_carry(id < count ? group_flags[id] : 0u, 0, flags, rows, &unused);
    if (count > 0 && id == count)
        group_flags[count] = going;
    going &= (u32)(id < count);
    for (u32 i = 0; i < SPAN && begin < end && going; i++, begin++)
        going = (u32)(++r[begin] == 0);
    BARRIER(); /* all have read the rows */
    carry_rows(going & (u32)(begin < end), flags, rows);
    for (u32 row = 0; row < CARRY_ROWS; row++)
        for (u32 left = rows[2 * row]; left; left &= left - 1) {
            u64 from = (u64)(32 * row + 31 - LEADING_ZEROS32(left & (0u - left))) * chunk;
            u64 to = from + chunk < words ? from + chunk : words;
            chunk_increment_far(r, from + SPAN, to, flags);
        }
#endif
}
#endif

#endif
