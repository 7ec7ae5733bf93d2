/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches: two words, whose first values the host chooses. If a group of
 * the check's launch found no error, it adds `pass` to the first word; otherwise it adds 1 to the
 * second word.
 *
 * `pass` is a random odd number, chosen anew for each launch. The host expects the first word to
 * grow by `pass` for each group, and once more if their number is even (verdict_share.h). So the
 * host detects launches that are lost, run twice, or run with an earlier operation's arguments. */
#ifndef VERDICT_H
#define VERDICT_H

#include "kernels/check/verdict_share.h"

#define VERDICT_THREADS 256 /* work-items of a group */

/* Adds the group's part to the verdict. A work-item that found an error passes a `bad` other than
 * 0. All work-items of the group must call this function once, outside of branches. `votes` is
 * local memory of VERDICT_THREADS words. */
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
