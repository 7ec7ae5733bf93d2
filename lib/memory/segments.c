/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool's memory: one range of addresses, reserved once, with memory behind some of its
 * segments. */
#include "config.h"

#include "lib/memory/segments.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/base/conf.h"
#include "lib/process/event.h"
#include "lib/memory/reclaim.h"
#include "lib/base/log.h"
#include "lib/memory/pressure.h"
#include "lib/base/process.h"
#include "lib/base/stats.h"

enum {
    SHARE = 4, /* of the machine's memory: a quarter */
    SPACE = 4, /* addresses for each byte, against fragments */
};

struct segment {
    enum { ABSENT, PRESENT, RETIRED } state;
    uint32_t lent; /* units in blocks */
    double since;  /* when that became 0 */
    _Atomic unsigned pinned;
};

_Atomic uintptr_t pool_begin;
_Atomic size_t pool_bytes;
struct extents segments_units;
struct pool_numbers segments_numbers;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for all that is not atomic */
static struct event idle; /* there is a segment without blocks again */
static _Atomic unsigned generation = 1;
static int in_child;
static struct segment *segments;
static size_t segment_count;
static _Atomic size_t idle_count; /* present without blocks */
static double refused_at;         /* by the system */

void segments_enter(struct signal_guard *m) {
    signal_guard_begin(m);
    pthread_mutex_lock(&mutex);
}

void segments_leave(const struct signal_guard *m) {
    pthread_mutex_unlock(&mutex);
    signal_guard_end(m);
}

int segments_in_child(void) {
    return in_child;
}

/* ---- the range */

static size_t limit_bytes(void) {
    uint64_t limit =
        mpgpu_conf.pool == MPGPU_POOL_AUTO ? pressure_total() / SHARE : mpgpu_conf.pool;
    uint64_t most = SIZE_MAX / (2 * SPACE);
    return (size_t)(limit < most ? limit : most) / SEGMENT_BYTES * SEGMENT_BYTES;
}

static void *map(void *at, size_t bytes, int flags) {
    return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Room for that many segments, and for what is known of them. */
static int reserve(size_t count) {
    size_t bytes = count * SEGMENT_BYTES, table = count * SEGMENT_UNITS * sizeof *segments_units.at;
    char *range = map(NULL, bytes + SEGMENT_BYTES, 0);
    struct extent *at = map(NULL, table, 0);
    segments = calloc(count, sizeof *segments);
    if (range != MAP_FAILED && at != MAP_FAILED && segments &&
        mprotect(at, table, PROT_READ | PROT_WRITE) == 0) {
        extents_open(&segments_units, at, (uint32_t)(count * SEGMENT_UNITS));
        segment_count = count;
        atomic_store(&pool_begin, ((uintptr_t)range + SEGMENT_BYTES - 1) & ~(SEGMENT_BYTES - 1));
        atomic_store(&pool_bytes, bytes);
        return 1;
    }
    if (range != MAP_FAILED)
        munmap(range, bytes + SEGMENT_BYTES);
    if (at != MAP_FAILED)
        munmap(at, table);
    free(segments);
    return 0;
}

int segments_reserve(void) {
    static int tried;
    if (!tried) {
        tried = 1;
        segments_numbers.limit = limit_bytes();
        size_t most = segments_numbers.limit / SEGMENT_BYTES;
        size_t count = pressure_on_addresses() ? most : SPACE * most;
        if (count > UINT32_MAX / 2 / SEGMENT_UNITS)
            count = UINT32_MAX / 2 / SEGMENT_UNITS;
        while (count > 0 && !reserve(count))
            count = count > most ? count / 2 : 0;
        if (segment_count == 0)
            mpgpu_log(LOG_INFO, "no pool: no room for one of %llu bytes",
                      (unsigned long long)segments_numbers.limit);
    }
    return segment_count > 0;
}

/* ---- segments */

void segments_count(uint32_t first, uint32_t count, int out) {
    while (count > 0) {
        struct segment *s = &segments[first / SEGMENT_UNITS];
        uint32_t here = SEGMENT_UNITS - first % SEGMENT_UNITS < count
                            ? SEGMENT_UNITS - first % SEGMENT_UNITS
                            : count;
        if (out && s->lent == 0)
            idle_count--;
        s->lent = out ? s->lent + here : s->lent - here;
        if (s->lent == 0) {
            s->since = stats_clock();
            if (idle_count++ == 0)
                event_post(&idle);
        }
        first += here;
        count -= here;
    }
}

/* The first of so many absent segments side by side, or segment_count. */
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

/* Where the system has refused, it is not asked again for a second. */
int segments_grow(uint32_t wanted) {
    size_t count = (wanted + SEGMENT_UNITS - 1) / SEGMENT_UNITS, bytes = count * SEGMENT_BYTES;
    if (segments_numbers.bytes + bytes > segments_numbers.limit || stats_clock() - refused_at < 1)
        return 0;
    size_t first = find_absent(count);
    if (first == segment_count)
        return 0;
    if (pressure_is_high(bytes) ||
        mprotect(segment_begin(first), bytes, PROT_READ | PROT_WRITE) != 0) {
        refused_at = stats_clock();
        return 0;
    }
    madvise(segment_begin(first), bytes, MADV_HUGEPAGE);
    segments_numbers.bytes += bytes;
    if (segments_numbers.bytes > segments_numbers.most)
        segments_numbers.most = segments_numbers.bytes;
    make_present(first, count);
    reclaim_start();
    return 1;
}

void segments_sum(struct pool_numbers *n) {
    n->lent = n->pinned = 0;
    for (size_t i = 0; i < segment_count; i++) {
        n->lent += segments[i].lent * SEGMENT_UNIT;
        n->pinned += segments[i].pinned ? SEGMENT_BYTES : 0;
    }
}

/* ---- one segment */

size_t segments_most(void) {
    return segment_count;
}

unsigned segment_pinned(size_t segment) {
    return atomic_load(&segments[segment].pinned);
}

void segment_set_pinned(size_t segment, unsigned when) {
    atomic_store(&segments[segment].pinned, when);
}

unsigned segment_generation(void) {
    return atomic_load(&generation);
}

void segments_wait_for_idle(void) {
    for (unsigned next; next = event_count(&idle) + 1, idle_count == 0;)
        event_sleep(&idle, next, EVENT_EVER);
}

int segment_retire(double seconds, size_t *segment) {
    double now = stats_clock();
    struct signal_guard m;
    int found = 0;
    segments_enter(&m);
    for (size_t i = segment_count; i-- > 0 && !found;) { /* blocks tend to the low ones */
        struct segment *s = &segments[i];
        found = s->state == PRESENT && s->lent == 0 && now - s->since >= seconds;
        *segment = i;
    }
    if (found) {
        segments[*segment].state = RETIRED;
        idle_count--;
        extents_remove(&segments_units, (uint32_t)(*segment * SEGMENT_UNITS), SEGMENT_UNITS);
    }
    segments_leave(&m);
    return found;
}

void segment_return(size_t segment) {
    struct signal_guard m;
    segments_enter(&m);
    if (map(segment_begin(segment), SEGMENT_BYTES, MAP_FIXED) == MAP_FAILED) {
        make_present(segment, 1);
    } else {
        segments[segment].state = ABSENT;
        segments_numbers.bytes -= SEGMENT_BYTES;
        segments_numbers.returned += SEGMENT_BYTES;
    }
    segments_leave(&m);
}

void segment_restore(size_t segment) {
    struct signal_guard m;
    segments_enter(&m);
    make_present(segment, 1);
    segments_leave(&m);
}

/* ---- fork */

/* Free memory need not be copied for a child, which for page-locked pages happens at
 * once. */
static void wipe_on_fork(uint32_t first, uint32_t count, void *advice) {
    madvise((char *)atomic_load(&pool_begin) + first * SEGMENT_UNIT, count * SEGMENT_UNIT,
            *(int *)advice);
}

static _Thread_local int has_entered; /* between before and after */

static void before_fork(void) {
    has_entered = process_is_ours();
    if (!has_entered)
        return;
    pthread_mutex_lock(&mutex);
    if (!in_child)
        extents_each_free(&segments_units, wipe_on_fork, &(int){MADV_WIPEONFORK});
}

static void after_fork(void) {
    if (!has_entered)
        return;
    if (!in_child)
        extents_each_free(&segments_units, wipe_on_fork, &(int){MADV_KEEPONFORK});
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&mutex);
}

static void after_fork_in_child(void) {
    if (!has_entered)
        return;
    in_child = 1;
    pool_shut();
    for (size_t i = 0; i < segment_count; i++)
        segments[i].pinned = 0;
    pthread_mutex_unlock(&mutex);
}

static void prepare(void) {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void pool_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}
