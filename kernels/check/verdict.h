/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches: two words.  Each group of a check's launch adds `pass` to the
 * first if the group found no error, otherwise 1 to the second.  The host knows both words before
 * the launches, the `pass` of each launch, which is random and odd, and the number of groups
 * (lib/device/verdict.h).  So a launch that is lost, runs twice, or runs with the arguments of an
 * earlier operation gives a wrong verdict, and errors cannot cancel. */
#ifndef VERDICT_H
#define VERDICT_H

#include "kernels/check/verdict_share.h"

#define VERDICT_THREADS 256 /* work-items of a group */

/* Adds the group's part: `bad` is not 0 in a work-item that found an error.  All work-items of the
 * group call it, outside of branches, once.  votes: VERDICT_THREADS words of local memory. */
FN void verdict_add(GLOBAL u32 *verdict, u32 pass, u32 bad, LOCAL u32 *votes) {
#if defined(__CUDACC__)
    (void)votes;
    bad = (u32)__syncthreads_or((int)(bad != 0));
#else
    votes[LOCAL_ID] = bad;
    BARRIER();
    if (LOCAL_ID == 0)
        for (u32 i = 1; i < VERDICT_THREADS; i++)
            bad |= votes[i];
#endif
    if (LOCAL_ID == 0)
        verdict_share(verdict, pass, bad, GROUP_X, GROUPS_X);
}

#endif
