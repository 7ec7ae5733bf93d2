/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's memory, in segments.  lib/memory/pool.c cuts blocks from them, lib/memory/pinned.c
 * page-locks them, lib/memory/reclaim.c returns them to the system. */
#ifndef MPGPU_SEGMENTS_H
#define MPGPU_SEGMENTS_H

#include <stdbool.h>

#include "lib/base/extents.h"
#include "lib/memory/range.h"
#include "lib/process/signal_guard.h"

/* Taken from the system, page-locked and returned as one; aligned to its size.  Locking
 * 16 MiB takes 0.8 ms, 128 MiB 3.8 ms, on the H200's host. */
#define SEGMENT_BYTES ((size_t)32 << 20)

/* What blocks are made of. */
#define SEGMENT_UNIT ((size_t)16 << 10)
enum { SEGMENT_UNITS = SEGMENT_BYTES / SEGMENT_UNIT };

/* Bytes. */
struct segments_numbers {
    uint64_t limit;    /* at most */
    uint64_t bytes;    /* taken from the system now */
    uint64_t most;     /* at any time */
    uint64_t returned; /* to the system so far */
    uint64_t used;     /* in blocks now */
    uint64_t pinned;   /* page-locked now */
};

/* Registers what fork needs.  Before the first segment; any thread, any number of times. */
void segments_prepare(void);

/* Locks the mutex, and keeps signals out until it is unlocked. */
void segments_lock(struct signal_guard *m);
void segments_unlock(struct signal_guard *m);

/* ---- with the mutex locked */

extern struct extents segments_units; /* of all segments that are in use */

/* Reserve the range, if it is not there; false where that fails. */
bool segments_reserve(void);

/* Blocks of more bytes are refused. */
uint64_t segments_limit(void);

/* Add memory for a run of that many units; false where that fails. */
bool segments_grow(uint32_t wanted);

/* So many units of a run went into blocks, or came back. */
void segments_count(uint32_t first, uint32_t count, bool are_used);

void segments_ask(struct segments_numbers *n);

/* ---- without it */

/* A child of fork (others: lib/base/process.h). */
bool segments_are_in_child(void);

static inline size_t segments_index(const void *p) {
    return range_offset(p) / SEGMENT_BYTES;
}
static inline char *segments_address(size_t segment) {
    return range_at(segment * SEGMENT_BYTES);
}

/* The largest number that there may be. */
size_t segments_most(void);

/* In which generation a segment was page-locked; 0 if it is not.  A fork begins another one: on
 * kernels before 5.9 the address may lead to another page then.  Only threads that call the device
 * set it. */
unsigned segments_pinned(size_t segment);
void segments_set_pinned(size_t segment, unsigned generation);
unsigned segments_generation(void);

/* The server of the device sees it (gpu_served_map). */
bool segments_are_shared(size_t segment);

/* Wait until a segment is without blocks. */
void segments_wait_for_idle(void);

/* Take one out of use that has had no block for so many seconds; false if there is none. */
bool segments_retire(double seconds, size_t *segment);

/* Return its memory to the system, or put it back to use. */
void segments_return(size_t segment);
void segments_restore(size_t segment);

#endif
