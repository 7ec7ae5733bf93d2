/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One range of addresses that contains all blocks of the pool (the library's host memory for
 * results), and nothing else. So comparing an address with this range shows whether memory belongs
 * to the pool. */
#ifndef MPGPU_RANGE_H
#define MPGPU_RANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern __attribute__((visibility("hidden"))) _Atomic uintptr_t range_begin;
extern __attribute__((visibility("hidden"))) _Atomic size_t range_bytes;

/* Returns true if p is in the pool's range of addresses. Returns false if nothing is reserved yet.
 * Any thread may call it; it takes no lock. */
static inline bool range_owns(const void *p) {
    size_t bytes = atomic_load_explicit(&range_bytes, memory_order_acquire); /* set last */
    return (uintptr_t)p - atomic_load_explicit(&range_begin, memory_order_relaxed) < bytes;
}

/* range_at returns the address at an offset in the range; range_offset returns the offset of an
 * address. */
static inline char *range_at(size_t offset) {
    return (char *)atomic_load_explicit(&range_begin, memory_order_relaxed) + offset;
}
static inline size_t range_offset(const void *p) {
    return (uintptr_t)p - atomic_load_explicit(&range_begin, memory_order_relaxed);
}

/* Reserves `bytes` bytes of addresses without memory. The first address is a multiple of
 * `alignment`, a power of two. Returns false on failure. Do not call it again after a success. */
bool range_reserve(size_t bytes, size_t alignment);

/* Maps a range of addresses without memory and access rights: anywhere if `at` is NULL, otherwise
 * in place of the memory at `at`. Returns NULL on failure. */
void *range_map(void *at, size_t bytes);

#endif
