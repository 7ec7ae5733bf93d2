/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What each tests/unit/modular/lanes_WORDS.c has: kernels/modular/modular.cl as CUDA has it, on the
 * host (tests/unit/modular/warp.h). */
#ifndef MPGPU_TEST_LANES_H
#define MPGPU_TEST_LANES_H

#include <stdint.h>

/* One launch: the kernels' arguments. */
struct lanes_launch {
    uint32_t *r, *known, *kinds, *tables;
    const uint32_t *u, *v, *m;
    uint64_t count;
    uint32_t words, rows, u_words, kind, exponent_words, window, is_secret, shared, slots;
};

struct lanes_program {
    uint32_t words;
    void (*prepare)(const struct lanes_launch *l);
    void (*arithmetic)(const struct lanes_launch *l);
    void (*power)(const struct lanes_launch *l);
};
extern const struct lanes_program lanes_8, lanes_16, lanes_32, lanes_64, lanes_256;

#endif
