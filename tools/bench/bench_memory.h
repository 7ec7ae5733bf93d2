/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kinds of host memory for operands and results. */
#ifndef MPGPU_BENCH_MEMORY_H
#define MPGPU_BENCH_MEMORY_H

#include <stddef.h>

struct bench_memory {
    const char *name;
    void *(*allocate)(size_t bytes); /* NULL if there is none */
    void (*release)(void *p, size_t bytes);
};

/* malloc's, as GMP alone uses it; the library's pool (lib/memory/pool.h), which needs a device. */
extern const struct bench_memory bench_memory_malloc, bench_memory_pool;

#endif
