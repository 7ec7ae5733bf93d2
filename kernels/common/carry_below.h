/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the carry into a chunk from the flags of the chunks below (kernels/common/carry.h). All
 * work-items of a group take part. */
#ifndef CARRY_BELOW_H
#define CARRY_BELOW_H

#include "kernels/common/carry.h"

#if defined(LOCAL_ID)
/* Returns the first work-item of the group whose `stop` is set, or CARRY_THREADS if none is. */
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

/* Returns the carry into chunk number `chunk`. The nearest chunk below whose flag is not
 * CARRY_PROPAGATE decides. Without such a chunk the carry is 0. The group reads CARRY_THREADS flags
 * at once. */
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
