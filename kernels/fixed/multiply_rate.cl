/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How many products 32 by 32 bits, added to 64, a device does in registers: for measurements. */
#include "kernels/common/platform.h"
#include "kernels/fixed/multiply_rate.h"

/* Each work-item does rounds * RATE_PRODUCTS; r has a word for each. */
KERNEL(RATE_THREADS)
multiply_rate(GLOBAL u32 *RESTRICT r, u32 seed, u32 rounds) {
    u64 sums[RATE_CHAINS], all = 0;
    const u32 item = GROUP_X * RATE_THREADS + LOCAL_ID, factor = seed | 1;
    UNROLL for (int k = 0; k < RATE_CHAINS; k++) sums[k] = (u64)seed * (item + (u32)k);
    for (u32 round = 0; round < rounds; round++)
        UNROLL for (int i = 0; i < RATE_PRODUCTS / RATE_CHAINS; i++)
            UNROLL for (int k = 0; k < RATE_CHAINS; k++) sums[k] += (u64)(u32)sums[k] * factor;
    UNROLL for (int k = 0; k < RATE_CHAINS; k++) all ^= sums[k];
    r[item] = (u32)(all ^ all >> 32);
}
