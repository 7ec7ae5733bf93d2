/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Manages the segments of the pool (the library's host memory for results). They are in one range
 * of addresses, which is reserved once; a segment gets memory on demand. */
#include "config.h"

#define _GNU_SOURCE 1 /* mremap */
#include "lib/memory/segments.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "gpu/host/pages.h"
#include "lib/base/at_fork.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/process.h"
#include "lib/base/stats.h"
#include "lib/memory/pressure.h"
#include "lib/process/event.h"
#include "lib/process/access_guard.h"
#include "lib/process/shutdown.h"

enum {
    SHARE = 4, /* with pool:auto, the pool may use 1/SHARE of pressure_total() */
    SPACE = 4, /* reserved addresses exceed the memory by this factor, because of fragmentation */
};

struct segment {
    enum { ABSENT, PRESENT, RETIRED } state;
    uint32_t used;          /* units in blocks */
    double since;           /* the time at which `used` became 0 */
    _Atomic bool is_shared; /* the server of the devices maps the segment too */
    _Atomic unsigned pinned;
};

struct extents segments_units;

/* guards all variables of this file that are not atomic */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct segments_numbers numbers;
static struct event idle; /* posted when the first segment without blocks appears */
static _Atomic unsigned generation = 1;
static bool in_child;
static struct segment *segments;
static size_t segment_count;
static _Atomic size_t idle_count; /* count of segments that have memory but no blocks */
static double refused_at;         /* the time at which the system last refused memory */

void segments_lock(struct signal_guard *m) {
    signal_guard_begin(m);
    pthread_mutex_lock(&mutex);
}

void segments_unlock(struct signal_guard *m) {
    pthread_mutex_unlock(&mutex);
    signal_guard_end(m);
}

bool segments_are_in_child(void) {
    return in_child;
}

/* ---- the range */

static size_t limit_bytes(void) {
    uint64_t limit =
        mpgpu_conf.pool == MPGPU_POOL_AUTO ? pressure_total() / SHARE : mpgpu_conf.pool;
    uint64_t most = SIZE_MAX / (2 * SPACE);
    return (size_t)(limit < most ? limit : most) / SEGMENT_BYTES * SEGMENT_BYTES;
}

/* Reserves addresses for `count` segments, and memory for the table of their units (pieces of
 * SEGMENT_UNIT bytes). Returns false on failure. */
static bool reserve(size_t count) {
    size_t units = count * SEGMENT_UNITS, table = units * sizeof *segments_units.at;
    struct extent *at = range_map(NULL, table);
    segments = calloc(count, sizeof *segments);
    if (at && segments && mprotect(at, table, PROT_READ | PROT_WRITE) == 0 &&
        range_reserve(count * SEGMENT_BYTES, SEGMENT_BYTES)) {
        extents_open(&segments_units, at, (uint32_t)units);
        segment_count = count;
        return true;
    }
    if (at)
        munmap(at, table);
    free(segments);
    return false;
}

/* Reserves the most addresses that the system grants: halves the size until the reservation
 * succeeds or the size is below the limit. */
static void reserve_most(void) {
    size_t most = numbers.limit / SEGMENT_BYTES;
    size_t count = pressure_limits_addresses() ? most : SPACE * most;
    if (count > UINT32_MAX / 2 / SEGMENT_UNITS)
        count = UINT32_MAX / 2 / SEGMENT_UNITS;
    while (count > 0 && !reserve(count))
        count = count > most ? count / 2 : 0;
    if (segment_count == 0)
        mpgpu_log(LOG_INFO, "no pool: no address space for %llu bytes",
                  (unsigned long long)numbers.limit);
}

bool segments_reserve(void) {
    static bool is_tried;
    if (!is_tried) {
        is_tried = true;
        numbers.limit = limit_bytes();
        reserve_most();
    }
    return segment_count > 0;
}

uint64_t segments_limit(void) {
    return numbers.limit;
}

/* ---- segments */

void segments_count(uint32_t first, uint32_t count, bool are_used) {
    while (count > 0) {
        struct segment *s = &segments[first / SEGMENT_UNITS];
        uint32_t here = SEGMENT_UNITS - first % SEGMENT_UNITS < count
                            ? SEGMENT_UNITS - first % SEGMENT_UNITS
                            : count;
        if (are_used && s->used == 0)
            idle_count--;
        s->used = are_used ? s->used + here : s->used - here;
        if (s->used == 0) {
            s->since = stats_clock();
            if (idle_count++ == 0)
                event_post(&idle);
        }
        first += here;
        count -= here;
    }
}

/* Returns the first of `count` adjacent segments without memory. Returns segment_count if there are
 * none. */
static size_t find_absent(size_t count) {
    size_t run = 0;
    for (size_t i = 0; i < segment_count; i++) {
        run = segments[i].state == ABSENT ? run + 1 : 0;
        if (run == count)
            return i + 1 - count;
    }
    return segment_count;
}

static void make_present(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        segments[i].state = PRESENT;
        segments[i].since = stats_clock();
    }
    if (atomic_fetch_add(&idle_count, count) == 0)
        event_post(&idle);
    extents_add(&segments_units, (uint32_t)(first * SEGMENT_UNITS),
                (uint32_t)(count * SEGMENT_UNITS));
}

static void end_sharing(struct segment *s) {
    if (atomic_exchange(&s->is_shared, false))
        gpu_served_unmap(segments_address((size_t)(s - segments)));
}

/* Maps memory for segments that have none. If there is a server, maps shared memory, which the
 * server can page-lock. With the option `clear`, maps private memory instead: shared memory could
 * retain data, after a fork, that this process has cleared in its own copy. Returns false on
 * failure. */
static bool make_memory(size_t first, size_t count) {
    bool done = true;
    for (size_t i = first; i < first + count; i++) {
        bool shared =
            !mpgpu_conf.clear && gpu_served_map(segments_address(i), i * SEGMENT_BYTES,
                                                SEGMENT_BYTES, segment_count * SEGMENT_BYTES);
        atomic_store(&segments[i].is_shared, shared);
        if (!shared)
            done =
                mprotect(segments_address(i), SEGMENT_BYTES, PROT_READ | PROT_WRITE) == 0 && done;
    }
    for (size_t i = first; i < first + count && !done; i++) {
        end_sharing(&segments[i]);
        /* removes the mapping of shared memory, if there is one */
        range_map(segments_address(i), SEGMENT_BYTES);
    }
    return done;
}

/* Takes memory for `wanted` adjacent units from the system. For one second after the system has
 * refused memory, fails at once. */
bool segments_grow(uint32_t wanted) {
    size_t count = ceil_div(wanted, SEGMENT_UNITS), bytes = count * SEGMENT_BYTES;
    if (numbers.bytes + bytes > numbers.limit || stats_clock() - refused_at < 1)
        return false;
    size_t first = find_absent(count);
    if (first == segment_count)
        return false;
    if (pressure_is_high(bytes) || !make_memory(first, count)) {
        refused_at = stats_clock();
        return false;
    }
    madvise(segments_address(first), bytes, MADV_HUGEPAGE);
    numbers.bytes += bytes;
    if (numbers.bytes > numbers.most)
        numbers.most = numbers.bytes;
    make_present(first, count);
    return true;
}

void segments_ask(struct segments_numbers *n) {
    *n = numbers;
    for (size_t i = 0; i < segment_count; i++) {
        n->used += segments[i].used * SEGMENT_UNIT;
        n->pinned += segments[i].pinned ? SEGMENT_BYTES : 0;
    }
}

/* ---- one segment */

size_t segments_most(void) {
    return segment_count;
}

unsigned segments_pinned(size_t segment) {
    return atomic_load(&segments[segment].pinned);
}

void segments_set_pinned(size_t segment, unsigned when) {
    atomic_store(&segments[segment].pinned, when);
}

bool segments_are_shared(size_t segment) {
    return atomic_load(&segments[segment].is_shared);
}

unsigned segments_generation(void) {
    return atomic_load(&generation);
}

void segments_wait_for_idle(void) {
    for (unsigned next; next = event_count(&idle) + 1, idle_count == 0;)
        event_sleep(&idle, next, EVENT_FOREVER);
}

bool segments_retire(double seconds, size_t *segment) {
    double now = stats_clock();
    struct signal_guard guard;
    bool found = false;
    segments_lock(&guard);
    /* searches from the highest segment down, because blocks are mostly in low segments */
    for (size_t i = segment_count; i-- > 0 && !found;) {
        struct segment *s = &segments[i];
        found = s->state == PRESENT && s->used == 0 && now - s->since >= seconds;
        *segment = i;
    }
    if (found) {
        segments[*segment].state = RETIRED;
        idle_count--;
        extents_remove(&segments_units, (uint32_t)(*segment * SEGMENT_UNITS), SEGMENT_UNITS);
    }
    segments_unlock(&guard);
    return found;
}

void segments_return(size_t segment) {
    struct signal_guard guard;
    segments_lock(&guard);
    end_sharing(&segments[segment]);
    if (!range_map(segments_address(segment), SEGMENT_BYTES)) {
        make_present(segment, 1);
    } else {
        segments[segment].state = ABSENT;
        numbers.bytes -= SEGMENT_BYTES;
        numbers.returned += SEGMENT_BYTES;
    }
    segments_unlock(&guard);
}

void segments_restore(size_t segment) {
    struct signal_guard guard;
    segments_lock(&guard);
    make_present(segment, 1);
    segments_unlock(&guard);
}

/* ---- fork */

static void advise_segment_range(uint32_t first, uint32_t count, void *advice) {
    pages_advise(range_at(first * SEGMENT_UNIT), count * SEGMENT_UNIT, *(int *)advice);
}

/* Sets or clears MADV_WIPEONFORK for free memory. While it is set, a fork does not copy free
 * memory. Otherwise a fork would at once copy the free memory that is page-locked. */
static void wipe_on_fork(bool is_wiped) {
    if (!in_child)
        extents_each_free(&segments_units, advise_segment_range,
                          &(int){is_wiped ? MADV_WIPEONFORK : MADV_KEEPONFORK});
}

/* Replaces shared memory by a private copy. Used only if the program has closed the file of the
 * shared memory, because the copy loses what another thread writes at the same time. */
static void copy_private(char *at, size_t bytes) {
    char *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return;
    memcpy(copy, at, bytes);
    syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

/* Makes a shared segment private, because a child of fork would otherwise see this process's
 * writes. Call it while no operation runs. Skips pages that were replaced because a device did not
 * answer (lib/process/access_guard.h), since they are private already. */
static void make_private(size_t segment) {
    char *at = segments_address(segment), *end = at + SEGMENT_BYTES, *own = end;
    while (at < end) {
        size_t bytes = access_guard_replaced(at, (size_t)(end - at), &own);
        size_t shared = bytes ? (size_t)(own - at) : (size_t)(end - at);
        if (shared && !gpu_served_keep(at, shared))
            copy_private(at, shared);
        at += shared + bytes;
    }
}

static void make_all_private(void) {
    bool any = false;
    for (size_t i = 0; i < segment_count; i++) {
        if (!atomic_exchange(&segments[i].is_shared, false))
            continue;
        make_private(i);
        atomic_store(&segments[i].pinned, 0);
        any = true;
    }
    if (any)
        gpu_served_part(shutdown_fork_has_acquired());
}

/* true from before_fork to the end of the fork, if this thread has locked the mutex */
static _Thread_local bool has_locked;

/* Makes the memory that is shared with a server private, so that the child gets a copy of it. */
static void before_fork(void) {
    has_locked = process_is_ours();
    if (!has_locked)
        return;
    pthread_mutex_lock(&mutex);
    make_all_private();
    wipe_on_fork(true);
}

static void after_fork(void) {
    if (!has_locked)
        return;
    wipe_on_fork(false);
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&mutex);
}

static void after_fork_in_child(void) {
    if (!has_locked)
        return;
    /* The child may extend a block into memory that is free now. MADV_WIPEONFORK must not remain
     * set for this memory, because a fork of the child would clear it. */
    wipe_on_fork(false);
    in_child = true;
    for (size_t i = 0; i < segment_count; i++)
        segments[i].pinned = 0;
    pthread_mutex_unlock(&mutex);
}

static void register_fork_handlers(void) {
    at_fork(before_fork, after_fork, after_fork_in_child);
}

void segments_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork_handlers);
}
