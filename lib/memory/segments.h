/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's memory, in segments. lib/memory/pool.c allocates blocks in them, lib/memory/pinned.c
 * page-locks them, lib/memory/reclaim.c returns them to the system. */
#ifndef MPGPU_SEGMENTS_H
#define MPGPU_SEGMENTS_H

#include <stdbool.h>

#include "lib/base/extents.h"
#include "lib/memory/range.h"
#include "lib/process/signal_guard.h"

/* A segment is taken, page-locked and returned as a whole, and aligned to its size. Locking 16 MiB
 * takes 0.8 ms, 128 MiB 3.8 ms, on the H200's host. */
#define SEGMENT_BYTES ((size_t)32 << 20)

/* The unit of blocks. */
#define SEGMENT_UNIT ((size_t)16 << 10)
enum { SEGMENT_UNITS = SEGMENT_BYTES / SEGMENT_UNIT };

/* All in bytes. */
struct segments_numbers {
    uint64_t limit;    /* at most */
    uint64_t bytes;    /* taken from the system now */
    uint64_t most;     /* highest value of `bytes` */
    uint64_t returned; /* to the system so far */
    uint64_t used;     /* in blocks now */
    uint64_t pinned;   /* page-locked now */
};

/* Registers the fork handlers. Call it before the first segment; any thread, any number of times.
 */
void segments_prepare(void);

/* segments_lock locks the mutex and blocks signals until segments_unlock. */
void segments_lock(struct signal_guard *m);
void segments_unlock(struct signal_guard *m);

/* ---- with the mutex locked */

extern struct extents segments_units; /* of all segments that are in use */

/* Reserves the range, unless it is reserved. Returns false on failure. */
bool segments_reserve(void);

/* Returns the limit in bytes; larger blocks are refused. */
uint64_t segments_limit(void);

/* Adds memory for a run of `wanted` units. Returns false on failure. */
bool segments_grow(uint32_t wanted);

/* Counts `count` units from `first` as used by blocks, or as free again. */
void segments_count(uint32_t first, uint32_t count, bool are_used);

void segments_ask(struct segments_numbers *n);

/* ---- without the mutex */

/* Returns true in a child of fork; for other children see lib/base/process.h. */
bool segments_are_in_child(void);

static inline size_t segments_index(const void *p) {
    return range_offset(p) / SEGMENT_BYTES;
}
static inline char *segments_address(size_t segment) {
    return range_at(segment * SEGMENT_BYTES);
}

/* Returns one more than the highest segment number. */
size_t segments_most(void);

/* segments_pinned returns the generation in which a segment was page-locked; 0 if it is not locked.
 * A fork begins a new generation: on kernels before 5.9 the address may have other pages then. Only
 * threads that call the device set it. */
unsigned segments_pinned(size_t segment);
void segments_set_pinned(size_t segment, unsigned generation);
unsigned segments_generation(void);

/* Returns true if the device's server maps the segment (gpu_served_map). */
bool segments_are_shared(size_t segment);

/* Waits until a segment has no blocks. */
void segments_wait_for_idle(void);

/* Takes a segment without blocks for `seconds` out of use. Returns false if there is none. */
bool segments_retire(double seconds, size_t *segment);

/* segments_return returns a retired segment's memory to the system; segments_restore puts it back
 * to use. */
void segments_return(size_t segment);
void segments_restore(size_t segment);

#endif
