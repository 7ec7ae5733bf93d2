/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of the pool. */
#ifndef MPGPU_TEST_POOLS_H
#define MPGPU_TEST_POOLS_H

#include "lib/conf.h"
#include "lib/pool.h"

static inline struct pool_numbers ask(void) {
    struct pool_numbers n;
    pool_ask(&n);
    return n;
}

static inline void open_with(uint64_t limit) {
    mpgpu_conf.pool = limit;
    pool_open();
}

#endif
