/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Declares the programs lanes_8 to lanes_256. Each runs kernels/modular/modular.cl and
 * power_double.cl, compiled as for CUDA, on a warp that is emulated on the host
 * (tests/unit/modular/warp.h). */
#ifndef MPGPU_TEST_LANES_H
#define MPGPU_TEST_LANES_H

#include <stdint.h>

/* A fault. At exchange number `at` (from 1) between the lanes of the warp, bit `bit` is changed: in
 * the value that lane `lane` passes to the others, or in *word if `word` is not NULL. */
struct lanes_fault {
    uint64_t at, exchanges;
    uint32_t *word, bit, lane;
};

/* The arguments of one launch of the kernels. If `record` is not NULL, the kernels record values
 * for a check. */
struct lanes_launch {
    struct lanes_fault *fault;
    uint64_t *record;
    const uint64_t *table;
    uint32_t *r, *known, *kinds, *tables, *passed;
    const uint32_t *u, *v, *m;
    uint64_t count;
    uint32_t words, rows, rows_of_key, u_words, kind, exponent_words, window, is_secret, shared,
        slots;
};

struct lanes_program {
    uint32_t words;
    void (*prepare)(const struct lanes_launch *l);
    void (*check_known)(const struct lanes_launch *l);
    void (*arithmetic)(const struct lanes_launch *l);
    void (*power)(const struct lanes_launch *l);
    void (*power_double)(const struct lanes_launch *l);
};
extern const struct lanes_program lanes_8, lanes_16, lanes_32, lanes_64, lanes_256;

#endif
