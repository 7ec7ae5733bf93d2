/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products from their halves: the launches of kernels/sums/halves.cl. */
#include "lib/multiply/halves.h"

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"

enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b) {
    uint64_t n = a.words, chunks = n / CARRY_CHUNK;
    gpu_mem flags;
    enum gpu_status status = number_flags(s, 2 * chunks + 1, &flags);
    if (status == GPU_OK)
        status = launch_halves_join(s, launch_row(chunks), r.mem, r.at, r.words, a.mem, a.at, b.mem,
                                    b.at, n, flags);
    if (status == GPU_OK)
        status = launch_halves_carry(s, launch_grid(ceil_div(chunks, CARRY_THREADS), 2), r.mem,
                                     r.at, r.words, n, flags);
    if (status == GPU_OK)
        status = launch_halves_end(s, launch_row(1), r.mem, r.at, r.words, n, flags);
    return status;
}
