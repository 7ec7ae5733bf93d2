/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's memory, in segments, which lib/memory/pool.c makes blocks of, lib/memory/pinned.c locks, and
 * lib/memory/reclaim.c returns. */
#ifndef MPGPU_SEGMENTS_H
#define MPGPU_SEGMENTS_H

#include "lib/base/extents.h"
#include "lib/process/signal_guard.h"
#include "lib/memory/pool.h"

/* Taken from the system, page-locked and returned as one; aligned to its size.  Locking
 * 16 MiB takes 0.8 ms, 128 MiB 3.8 ms, on the H200's host. */
#define SEGMENT_BYTES ((size_t)32 << 20)

/* What blocks are made of. */
#define SEGMENT_UNIT ((size_t)16 << 10)
enum { SEGMENT_UNITS = SEGMENT_BYTES / SEGMENT_UNIT };

/* The lock, with no signal in between: what follows down to the line is for who has it. */
void segments_enter(struct signal_guard *m);
void segments_leave(const struct signal_guard *m);

extern struct extents segments_units; /* those of all segments that are in use */
extern struct pool_numbers segments_numbers;

/* Reserve the range, if it is not there; 0 if it can't be had. */
int segments_reserve(void);

/* Add memory for a run of that many units; 0 if there is none to be had. */
int segments_grow(uint32_t wanted);

/* So many units of a run went out in blocks, or came back. */
void segments_count(uint32_t first, uint32_t count, int out);

/* Nonzero in a child of fork (others: lib/base/process.h). */
int segments_in_child(void);

/* Sum up what is lent and pinned. */
void segments_sum(struct pool_numbers *n);

/* ---- one segment, without the lock */

static inline size_t segment_of(const void *p) {
    return ((uintptr_t)p - atomic_load_explicit(&pool_begin, memory_order_relaxed)) / SEGMENT_BYTES;
}
static inline char *segment_begin(size_t segment) {
    return (char *)atomic_load_explicit(&pool_begin, memory_order_relaxed) +
           segment * SEGMENT_BYTES;
}

/* How many there may be. */
size_t segments_most(void);

/* In which generation a segment was page-locked, 0 if it is not.  A fork begins another: on
 * kernels before 5.9 the address may then lead to another page than the one that is
 * locked.  Only threads that call the device set it. */
unsigned segment_pinned(size_t segment);
void segment_set_pinned(size_t segment, unsigned generation);
unsigned segment_generation(void);

/* Wait until there is a segment without blocks. */
void segments_wait_for_idle(void);

/* Take one out of use that has had no block for so many seconds; 0 if there is none. */
int segment_retire(double seconds, size_t *segment);

/* Return its memory to the system, or put it back to use. */
void segment_return(size_t segment);
void segment_restore(size_t segment);

#endif
