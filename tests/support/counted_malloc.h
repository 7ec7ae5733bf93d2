/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces malloc and related functions of the program that includes this header, and counts the
 * calls that a signal handler makes. */
#ifndef MPGPU_COUNTED_MALLOC_H
#define MPGPU_COUNTED_MALLOC_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default"))) /* exported functions replace libc's */

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t n, size_t size),
    *__libc_realloc(void *p, size_t bytes), *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *p);

/* set while calls of malloc are counted */
static _Thread_local int is_inside;
static atomic_int asked; /* the number of counted calls */

EXPORT void *malloc(size_t bytes) {
    asked += is_inside;
    return __libc_malloc(bytes);
}

EXPORT void *calloc(size_t n, size_t size) {
    asked += is_inside;
    return __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t bytes) {
    asked += is_inside;
    return __libc_realloc(p, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes) {
    asked += is_inside;
    return __libc_memalign(alignment, bytes);
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t bytes) {
    *p = aligned_alloc(alignment, bytes);
    return *p ? 0 : ENOMEM;
}

EXPORT void free(void *p) {
    asked += is_inside;
    __libc_free(p);
}

#endif
