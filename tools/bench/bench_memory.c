/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kinds of host memory that operands and results lie in. */
#include "tools/bench/bench_memory.h"

#include <stdlib.h>

#include "lib/memory/pool.h"

static void release_malloc(void *p, size_t bytes) {
    (void)bytes;
    free(p);
}

static void release_pool(void *p, size_t bytes) {
    (void)bytes;
    pool_free(p);
}

const struct bench_memory bench_memory_malloc = {"malloc", malloc, release_malloc};
const struct bench_memory bench_memory_pool = {"pool", pool_alloc, release_pool};
