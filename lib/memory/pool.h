/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of our own for results and scratch: touched, on large pages, and page-locked where the
 * device can do that (lib/memory/pinned.h).  The link reads and fills such memory at full speed.
 *
 * It comes from the system in segments on demand, is reused for later blocks, and goes back when it
 * lies idle (lib/memory/reclaim.h).  A child of fork reads what its parent wrote: it is private
 * memory, or becomes that before the fork (lib/memory/segments.c).
 *
 * Any thread may call these functions at any time; no signal interrupts one that holds the lock.
 * In a child that was not made by fork (lib/base/process.h) blocks keep their place and size. */
#ifndef MPGPU_POOL_H
#define MPGPU_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/memory/range.h"

static inline bool pool_owns(const void *p) {
    return range_owns(p);
}

/* Blocks are allocated between these two: while there is a device, and `pool` is not off.  Blocks
 * in use stay valid. */
void pool_open(void);
void pool_shut(void);
bool pool_is_open(void);

/* Registers what fork needs.  Before the first block; any thread, any number of times. */
void pool_prepare(void);

/* A block of at least that many bytes, aligned to a page, of any content.  NULL where the pool is
 * shut, has reached its limit, or memory is short. */
void *pool_alloc(size_t bytes);
void pool_free(void *p);

/* How many bytes a block can hold. */
size_t pool_room(const void *p);

/* Let a block hold so many bytes where it lies, fewer or more; false where it can't. */
bool pool_resize(void *p, size_t bytes);

/* For statistics and messages. */
struct pool_numbers {
    uint64_t limit;    /* bytes of memory, at most, */
    uint64_t bytes;    /* taken from the system now, */
    uint64_t most;     /* at any time, */
    uint64_t returned; /* given back so far, */
    uint64_t used;     /* in blocks now, */
    uint64_t pinned;   /* page-locked now */
    uint64_t blocks;   /* allocated so far */
    uint64_t refused;  /* not allocated though the pool was open */
};
void pool_ask(struct pool_numbers *numbers);

#endif
