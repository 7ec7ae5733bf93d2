/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Adds one group's part to a verdict (kernels/check/verdict.h). */
#ifndef VERDICT_SHARE_H
#define VERDICT_SHARE_H

#include "kernels/common/platform.h"

/* Adds a group's part to the verdict: part number `part` of `parts`. If `parts` is even, part 0 is
 * added twice. So the sum of all parts is an odd multiple of `pass`, on which each bit of `pass`
 * has an effect. */
FN void verdict_share(GLOBAL u32 *verdict, u32 pass, u32 bad, u64 part, u64 parts) {
    if (bad)
        ATOMIC_ADD(verdict + 1, 1u);
    else
        ATOMIC_ADD(verdict, part == 0 && !(parts & 1) ? 2 * pass : pass);
}

#endif
