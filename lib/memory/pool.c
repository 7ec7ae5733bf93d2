/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's blocks: runs of units (lib/base/extents.h), which may lie across segments. */
#include "config.h"

#include "lib/memory/pool.h"

#include <sys/mman.h>

#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/memory/segments.h"
#include "lib/memory/wipe.h"

static atomic_int is_open;

static uint32_t units_for(size_t bytes) {
    return bytes == 0 ? 1 : (uint32_t)((bytes - 1) / SEGMENT_UNIT + 1);
}

static uint32_t unit_of(const void *p) {
    return (uint32_t)(((uintptr_t)p - atomic_load(&pool_begin)) / SEGMENT_UNIT);
}

static void *take(size_t bytes) {
    uint32_t first, count = units_for(bytes);
    if (!segments_reserve() || bytes > segments_numbers.limit ||
        (!extents_alloc(&segments_units, count, &first) &&
         !(segments_grow(count) && extents_alloc(&segments_units, count, &first)))) {
        segments_numbers.refused++;
        return NULL;
    }
    segments_count(first, count, 1);
    segments_numbers.blocks++;
    return (char *)atomic_load(&pool_begin) + first * SEGMENT_UNIT;
}

void *pool_alloc(size_t bytes) {
    struct signal_guard m;
    if (!pool_is_open())
        return NULL;
    pool_prepare();
    segments_enter(&m);
    void *p = take(bytes);
    segments_leave(&m);
    return p;
}

/* In a child of fork nothing is kept for later.  In another child the lock may never come free, and
 * the memory may be the parent's: the block stays. */
void pool_free(void *p) {
    struct signal_guard m;
    if (!process_is_ours())
        return;
    if (mpgpu_conf.clear)
        wipe(p, pool_room(p));
    segments_enter(&m);
    uint32_t first = unit_of(p), count = extents_length(&segments_units, first);
    if (segments_in_child())
        madvise(p, count * SEGMENT_UNIT, MADV_DONTNEED);
    segments_count(first, count, 0);
    extents_free(&segments_units, first);
    segments_leave(&m);
}

/* Without the lock: only who has the block changes its length. */
size_t pool_room(const void *p) {
    return extents_length(&segments_units, unit_of(p)) * SEGMENT_UNIT;
}

int pool_resize(void *p, size_t bytes) {
    struct signal_guard m;
    if (!process_is_ours())
        return bytes <= pool_room(p);
    segments_enter(&m);
    uint32_t first = unit_of(p), had = extents_length(&segments_units, first),
             count = units_for(bytes);
    int done = bytes <= segments_numbers.limit && extents_resize(&segments_units, first, count);
    if (done && count > had)
        segments_count(first + had, count - had, 1);
    else if (done)
        segments_count(first + count, had - count, 0);
    if (done && count < had)
        wipe((char *)p + count * SEGMENT_UNIT, (had - count) * SEGMENT_UNIT);
    segments_leave(&m);
    return done;
}

void pool_ask(struct pool_numbers *n) {
    struct signal_guard m;
    *n = (struct pool_numbers){0};
    if (!process_is_ours())
        return;
    segments_enter(&m);
    *n = segments_numbers;
    segments_sum(n);
    segments_leave(&m);
}

void pool_open(void) {
    atomic_store(&is_open, mpgpu_conf.pool != 0);
}

int pool_is_open(void) {
    return atomic_load(&is_open) && process_is_ours();
}

void pool_shut(void) {
    atomic_store(&is_open, 0);
}
