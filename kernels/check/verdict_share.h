/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A part's share of a verdict (kernels/check/verdict.h). */
#ifndef VERDICT_SHARE_H
#define VERDICT_SHARE_H

#include "kernels/common/platform.h"

/* What part number `part` of `parts` adds to the first word.  The first one adds twice as much if
 * there is an even number: the sum is an odd multiple of `pass`, so all bits of `pass` count. */
FN u32 verdict_share(u32 pass, u64 part, u64 parts) {
    return part == 0 && !(parts & 1) ? 2 * pass : pass;
}

#endif
