/* SPDX-License-Identifier: LGPL-3.0-or-later
 * This library's memory for results and scratch: touched, on large pages, and page-locked if the
 * device can do that (lib/memory/pinned.h). The link copies such memory at full speed.
 *
 * The pool takes memory from the system in segments on demand, reuses it for later blocks, and
 * returns idle segments (lib/memory/reclaim.h). A child of fork can read what its parent wrote: it
 * is private memory, or becomes private before the fork (lib/memory/segments.c).
 *
 * Any thread may call these functions at any time; no signal interrupts a function that has the
 * lock. In a child made without fork (lib/base/process.h) blocks keep their address and size. */
#ifndef MPGPU_POOL_H
#define MPGPU_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/memory/range.h"

static inline bool pool_owns(const void *p) {
    return range_owns(p);
}

/* Blocks are allocated only between pool_open and pool_shut, and only if the option `pool` is not
 * off. Blocks in use stay valid. */
void pool_open(void);
void pool_shut(void);
bool pool_is_open(void);

/* Registers the fork handlers. Call it before the first block; any thread, any number of times. */
void pool_prepare(void);

/* Allocates a block of at least `bytes` bytes, aligned to a page, of any content. Returns NULL if
 * the pool is shut, has reached its limit, or memory is short. */
void *pool_alloc(size_t bytes);
void pool_free(void *p);

/* Returns how many bytes a block can hold. */
size_t pool_room(const void *p);

/* Makes a block hold `bytes` bytes at the same address, fewer or more. Returns false if it cannot.
 */
bool pool_resize(void *p, size_t bytes);

/* For statistics and messages. */
struct pool_numbers {
    uint64_t limit;    /* the most bytes of memory */
    uint64_t bytes;    /* taken from the system now */
    uint64_t most;     /* the highest value of `bytes` */
    uint64_t returned; /* returned to the system so far */
    uint64_t used;     /* in blocks now */
    uint64_t pinned;   /* page-locked now */
    uint64_t blocks;   /* allocated so far */
    uint64_t refused;  /* allocations that failed while the pool was open */
};
void pool_ask(struct pool_numbers *numbers);

#endif
