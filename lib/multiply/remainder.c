/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes remainders N - q d of divisions of N by d, by kernels/sums/remainder.cl. The product q d
 * is known only modulo B^w - 1, where B = 2^32. */
#include "lib/multiply/remainder.h"

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"

enum gpu_status remainder_make(struct context *s, struct number r, struct number n, struct number p,
                               struct number q, struct number d) {
    struct number high = number_part(n, p.words, n.words);
    uint64_t chunks = ceil_div(r.words, CARRY_CHUNK);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, chunks, &flags);
    if (status == GPU_OK)
        status = launch_remainder_make(s, launch_row(chunks), r.mem, r.at, r.words, n.mem, n.at,
                                       high.mem, high.at, high.words, p.mem, p.at, q.mem, q.at,
                                       d.mem, d.at, flags);
    return status == GPU_OK && chunks > 1 ? number_carries(s, r, chunks, CARRY_CHUNK) : status;
}
