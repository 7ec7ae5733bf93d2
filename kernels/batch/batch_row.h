/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A row: 32 adjacent work-items that share one task. If a row runs in lockstep (ROW_BALLOT is
 * defined), its work-items wait only for one another and exchange words without local memory. */
#ifndef BATCH_ROW_H
#define BATCH_ROW_H

#include "kernels/common/shuffle.h"

#if defined(__CUDACC__)

#define ROW_BARRIER() __syncwarp()
#define ROW_BALLOT(x) __ballot_sync(~0u, x)
#define ROW_FROM_BELOW(x) __shfl_up_sync(~0u, x, 1)

#elif defined(__NV_CL_C_VERSION)

#define ROW_BARRIER() __asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define ROW_BALLOT(x) row_ballot((u32)((x) != 0))
#define ROW_FROM_BELOW(x) row_from_below(x)

FN u32 row_ballot(u32 x) {
    u32 r;
    __asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                   : "=r"(r)
                   : "r"(x));
    return r;
}

FN u32 row_from_below(u32 x) {
    u32 r;
    __asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}

#elif defined(HOST_ROWS) /* tests/kernels/host_kernel.h */

#define ROW_BARRIER() ((void)host_exchange(0))
#define ROW_BALLOT(x) host_ballot(x)
#define ROW_FROM_BELOW(x) shuffle_up(x, 32)

#else
#define ROW_BARRIER() BARRIER()
#endif

#endif
