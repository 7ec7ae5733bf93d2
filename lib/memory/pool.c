/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates blocks of the pool (the library's host memory for results). A block consists of
 * adjacent units of SEGMENT_UNIT bytes (lib/base/extents.h), and may extend over several segments.
 */
#include "config.h"

#include "lib/memory/pool.h"

#include <sys/mman.h>

#include "gpu/host/pages.h"
#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/memory/reclaim.h"
#include "lib/memory/segments.h"
#include "lib/memory/wipe.h"
#include "lib/process/heap.h"

static atomic_int is_open;
/* counts of blocks and of refused allocations; guarded by the segments' mutex */
static uint64_t blocks, refused;

static uint32_t units_for(size_t bytes) {
    return bytes == 0 ? 1 : (uint32_t)((bytes - 1) / SEGMENT_UNIT + 1);
}

static uint32_t unit_of(const void *p) {
    return (uint32_t)(range_offset(p) / SEGMENT_UNIT);
}

/* Takes memory for segments with at least `count` adjacent free units from the system. Returns
 * false on failure. */
static bool grow_pool(uint32_t count) {
    if (!segments_grow(count))
        return false;
    reclaim_start();
    return true;
}

static void *allocate_pool_units(size_t bytes) {
    uint32_t first, count = units_for(bytes);
    if (!segments_reserve() || bytes > segments_limit() ||
        (!extents_alloc(&segments_units, count, &first) &&
         !(grow_pool(count) && extents_alloc(&segments_units, count, &first)))) {
        refused++;
        return NULL;
    }
    segments_count(first, count, true);
    blocks++;
    return range_at(first * SEGMENT_UNIT);
}

void *pool_alloc(size_t bytes) {
    struct signal_guard guard;
    if (!pool_is_open())
        return NULL;
    pool_prepare();
    segments_lock(&guard);
    void *p = allocate_pool_units(bytes);
    segments_unlock(&guard);
    return p;
}

/* Frees a block. A child of fork also returns whole pages to the system at once. A child made
 * without fork (clone) does nothing: its copy of the lock may stay locked for ever, or it may share
 * the memory with its parent. */
void pool_free(void *p) {
    struct signal_guard guard;
    if (!process_is_ours())
        return;
    if (mpgpu_conf.clear)
        wipe(p, pool_room(p));
    segments_lock(&guard);
    uint32_t first = unit_of(p), count = extents_length(&segments_units, first);
    if (segments_are_in_child())
        pages_advise(p, count * SEGMENT_UNIT, MADV_DONTNEED);
    segments_count(first, count, false);
    extents_free(&segments_units, first);
    segments_unlock(&guard);
}

/* Takes no lock, because only the thread that owns the block may change its length. */
size_t pool_room(const void *p) {
    return extents_length(&segments_units, unit_of(p)) * SEGMENT_UNIT;
}

bool pool_resize(void *p, size_t bytes) {
    struct signal_guard guard;
    if (!process_is_ours())
        return bytes <= pool_room(p);
    segments_lock(&guard);
    uint32_t first = unit_of(p), had = extents_length(&segments_units, first),
             count = units_for(bytes);
    bool is_done = bytes <= segments_limit() && extents_resize(&segments_units, first, count);
    if (is_done && count > had)
        segments_count(first + had, count - had, true);
    else if (is_done)
        segments_count(first + count, had - count, false);
    if (is_done && count < had)
        wipe((char *)p + count * SEGMENT_UNIT, (had - count) * SEGMENT_UNIT);
    segments_unlock(&guard);
    return is_done;
}

void pool_ask(struct pool_numbers *n) {
    struct signal_guard guard;
    struct segments_numbers s;
    *n = (struct pool_numbers){0};
    if (!process_is_ours())
        return;
    segments_lock(&guard);
    segments_ask(&s);
    *n = (struct pool_numbers){s.limit, s.bytes,  s.most, s.returned,
                               s.used,  s.pinned, blocks, refused};
    segments_unlock(&guard);
}

/* Opens the pool, except in a program with a heap of its own. Such a program may write that heap to
 * a file and later start from the file, as GNU Common Lisp does, so all its numbers must be in that
 * heap. */
void pool_open(void) {
    atomic_store(&is_open, mpgpu_conf.pool != 0 && !heap_is_needed());
}

void pool_shut(void) {
    atomic_store(&is_open, 0);
}

bool pool_is_open(void) {
    return atomic_load(&is_open) && !segments_are_in_child() && process_is_ours();
}

void pool_prepare(void) {
    segments_prepare();
}
