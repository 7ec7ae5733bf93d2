/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches: two words, whose first values the host chooses. Each group of
 * a check's launch adds `pass` to the first word if it found no error, otherwise 1 to the second.
 * `pass` is a random odd number, another one for each launch. The host expects the first word to
 * have grown by `pass` for each group (lib/device/verdict.h). So it detects launches that are lost,
 * run twice, or run with the arguments of an earlier operation. */
#ifndef VERDICT_H
#define VERDICT_H

#include "kernels/check/verdict_share.h"

#define VERDICT_THREADS 256 /* work-items of a group */

/* Adds the group's part to the verdict. A work-item that found an error passes a `bad` other than
 * 0. All work-items of the group must call it once, outside of branches. `votes` is local memory of
 * VERDICT_THREADS words. */
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
