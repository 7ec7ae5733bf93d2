/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's memory (host memory for results), in segments of equal size. lib/memory/pool.c
 * allocates blocks in them, lib/memory/pinned.c page-locks them, lib/memory/reclaim.c returns them
 * to the system. */
#ifndef MPGPU_SEGMENTS_H
#define MPGPU_SEGMENTS_H

#include <stdbool.h>

#include "lib/base/extents.h"
#include "lib/memory/range.h"
#include "lib/process/signal_guard.h"

/* The size of a segment, which is also its alignment. The pool takes, page-locks and returns only
 * whole segments. On the host of an H200, locking 16 MiB takes 0.8 ms, 128 MiB 3.8 ms. */
#define SEGMENT_BYTES ((size_t)32 << 20)

/* The size of a unit: the lengths of blocks are multiples of it. */
#define SEGMENT_UNIT ((size_t)16 << 10)
enum { SEGMENT_UNITS = SEGMENT_BYTES / SEGMENT_UNIT };

/* All in bytes. */
struct segments_numbers {
    uint64_t limit;    /* at most */
    uint64_t bytes;    /* memory that the pool has now from the system */
    uint64_t most;     /* highest value of `bytes` */
    uint64_t returned; /* memory returned to the system so far */
    uint64_t used;     /* in blocks now */
    uint64_t pinned;   /* page-locked now */
};

/* Registers the handlers for fork. Call it before the first segment is made. Any thread may call it
 * repeatedly. */
void segments_prepare(void);

/* segments_lock blocks signals, then locks the mutex. segments_unlock reverses both. */
void segments_lock(struct signal_guard *m);
void segments_unlock(struct signal_guard *m);

/* ---- call these functions with the mutex locked */

extern struct extents segments_units; /* the units of all segments in use */

/* Reserves the range of addresses for all segments at its first call. Returns false if that has
 * failed. */
bool segments_reserve(void);

/* Returns the pool's limit: the most bytes that it may take from the system. */
uint64_t segments_limit(void);

/* Takes segments with `wanted` adjacent units from the system. Returns false on failure. */
bool segments_grow(uint32_t wanted);

/* Counts `count` units from unit `first` as used by blocks, or as free if are_used is false. */
void segments_count(uint32_t first, uint32_t count, bool are_used);

void segments_ask(struct segments_numbers *n);

/* ---- call these functions without the mutex */

/* Returns true in a child of fork. lib/base/process.h recognises children made without fork. */
bool segments_are_in_child(void);

static inline size_t segments_index(const void *p) {
    return range_offset(p) / SEGMENT_BYTES;
}
static inline char *segments_address(size_t segment) {
    return range_at(segment * SEGMENT_BYTES);
}

/* Returns the highest segment number plus one. */
size_t segments_most(void);

/* segments_pinned returns the generation in which a segment was page-locked, or 0 if it is not
 * locked. Each fork begins a new generation. On kernels before 5.9, the process may have other
 * pages at the address after a fork, so it must lock the segment again. Only threads that call the
 * device may call segments_set_pinned. */
unsigned segments_pinned(size_t segment);
void segments_set_pinned(size_t segment, unsigned generation);
unsigned segments_generation(void);

/* Returns true if the server of the devices maps the segment too (gpu_served_map). */
bool segments_are_shared(size_t segment);

/* Blocks until some segment has memory but no blocks. */
void segments_wait_for_idle(void);

/* Takes out of use a segment that has had no blocks for `seconds` seconds. The caller then calls
 * segments_return or segments_restore. Returns false if there is no such segment. */
bool segments_retire(double seconds, size_t *segment);

/* segments_return returns the memory of a segment from segments_retire to the system.
 * segments_restore makes the segment available to blocks again. */
void segments_return(size_t segment);
void segments_restore(size_t segment);

#endif
