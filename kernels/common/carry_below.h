/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The carry into a chunk, from the flags of the chunks below (carry.h), by the work-items of a
 * group. */
#ifndef CARRY_BELOW_H
#define CARRY_BELOW_H

#include "kernels/common/carry.h"

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

/* Returns the carry into chunk `chunk`: from the nearest chunk below that does not merely propagate
 * one; 0 if there is none.  The group reads CARRY_THREADS flags at once. */
FN u32 carry_from_below(GLOBAL const u32 *flags, u32 chunk, LOCAL u32 *stops) {
    for (u32 top = chunk;; top -= CARRY_THREADS) {
        u32 passes = LOCAL_ID < top && flags[top - 1 - LOCAL_ID] == CARRY_PROPAGATE;
        u32 first = first_stop(stops, !passes);
        if (first < CARRY_THREADS)
            return first < top ? flags[top - 1 - first] & CARRY_GENERATE : 0;
    }
}
#endif

#endif
