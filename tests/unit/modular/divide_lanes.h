/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Declares the programs divide_8 to divide_1024. Each runs kernels/modular/divide.cl, compiled as
 * for CUDA, on a warp that is emulated on the host (tests/unit/modular/warp.h). */
#ifndef MPGPU_TEST_DIVIDE_LANES_H
#define MPGPU_TEST_DIVIDE_LANES_H

#include <stdint.h>

/* The arguments of one launch of the kernel. */
struct divide_launch {
    uint32_t *q, *r;
    const uint32_t *n, *d;
    uint64_t d_at, d_step, first, count;
    uint32_t n_words, d_words, has_q, has_r;
};

struct divide_program {
    uint32_t words;
    void (*divide)(const struct divide_launch *l);
};
extern const struct divide_program divide_8, divide_16, divide_32, divide_64, divide_1024;

#endif
