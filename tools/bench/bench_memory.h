/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kinds of host memory that operands and results lie in. */
#ifndef MPGPU_BENCH_MEMORY_H
#define MPGPU_BENCH_MEMORY_H

#include <stddef.h>

struct bench_memory {
    const char *name;
    void *(*allocate)(size_t bytes); /* NULL if there is none */
    void (*release)(void *p, size_t bytes);
};

/* malloc's, as GMP uses it alone; the library's pool (lib/memory/pool.h), which is there while a
 * device is. */
extern const struct bench_memory bench_memory_malloc, bench_memory_pool;

#endif
