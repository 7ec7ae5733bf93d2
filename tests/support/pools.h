/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens the library's memory pool for its tests. */
#ifndef MPGPU_TEST_POOLS_H
#define MPGPU_TEST_POOLS_H

#include "lib/base/conf.h"
#include "lib/memory/pool.h"

/* Replaces the function of lib/memory/pressure.c, so that the tests do not depend on the machine's
 * free memory. */
bool __wrap_pressure_is_high(uint64_t bytes);
bool __wrap_pressure_is_high(uint64_t bytes) {
    (void)bytes;
    return false;
}

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
