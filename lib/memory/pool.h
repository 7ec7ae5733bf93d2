/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool: this library's host memory for results and temporary numbers. It consists of large
 * pages, page-locked if the device can do that (lib/memory/pinned.h), so that the device copies it
 * at full speed. The pool takes memory from the system in segments on demand, reuses it for later
 * blocks, and returns idle segments (lib/memory/reclaim.h). A child of fork can read what its
 * parent wrote: the memory is private, or becomes private before the fork (lib/memory/segments.c).
 *
 * Any thread may call these functions at any time; signals are blocked while a function has the
 * lock. In a child made without fork (lib/base/process.h), blocks keep their address and size. */
#ifndef MPGPU_POOL_H
#define MPGPU_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/memory/range.h"

static inline bool pool_owns(const void *p) {
    return range_owns(p);
}

/* pool_open allows the allocation of blocks, if the option `pool` is not off; pool_shut ends it.
 * Blocks in use stay valid. */
void pool_open(void);
void pool_shut(void);
bool pool_is_open(void);

/* Registers the handlers for fork. Call it before the first allocation. Any thread may call it
 * repeatedly. */
void pool_prepare(void);

/* Allocates a block of at least `bytes` bytes, aligned to 16 KiB, not initialised. Returns NULL if
 * the pool is not open, has reached its limit, or memory is short. */
void *pool_alloc(size_t bytes);
void pool_free(void *p);

/* Returns the size of a block in bytes, which may exceed the requested size. */
size_t pool_room(const void *p);

/* Changes the size of a block to `bytes` bytes without moving it. Returns false if there is no
 * space behind the block. */
bool pool_resize(void *p, size_t bytes);

/* Statistics of the pool: sizes in bytes, and counts. */
struct pool_numbers {
    uint64_t limit;    /* the most memory that the pool may take */
    uint64_t bytes;    /* memory that the pool has now from the system */
    uint64_t most;     /* the highest value of `bytes` */
    uint64_t returned; /* memory returned to the system so far */
    uint64_t used;     /* in blocks now */
    uint64_t pinned;   /* page-locked now */
    uint64_t blocks;   /* allocated so far */
    uint64_t refused;  /* allocations that failed although the pool was open */
};
void pool_ask(struct pool_numbers *numbers);

#endif
