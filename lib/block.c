/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products, inside one work-group: kernels/block.cl. */
#include "block.h"
#include "../kernels/block.h"
#include "../kernels/carry.h"

int block_fits(uint64_t un, uint64_t vn) {
    return un <= BLOCK_WORDS && vn <= BLOCK_WORDS;
}

int block_mul(struct session *s, struct number r, struct number u, struct number v) {
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),
                             gpu_arg_u64(r.at),
                             gpu_arg_mem(u.mem),
                             gpu_arg_u64(u.at),
                             gpu_arg_u32((uint32_t)u.words),
                             gpu_arg_mem(v.mem),
                             gpu_arg_u64(v.at),
                             gpu_arg_u32((uint32_t)v.words)};
    return NUMBER_LAUNCH(s, GPU_PROGRAM_block, "block_mul", 1, 1, CARRY_THREADS, args);
}
