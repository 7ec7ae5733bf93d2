/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds of kernel programs at run time: counts them, and distributes them over helper
 * processes. */
#include "config.h"

#include "gpu/build/builds.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "gpu/build/built_mark.h"
#include "gpu/build/helpers.h"
#include "gpu/error.h"
#include "gpu/futex.h"
#include "gpu/host/detached.h"
#include "gpu/host/pages.h"

/* Nanoseconds between two checks whether the process that builds a program is still alive. */
static const int64_t look_ns = 50000000;

static LARGE_ZERO struct builds own;
/* The table of builds that this process shares with its helpers. NULL: there are no helpers, and
 * the table is `own`. */
static struct builds *_Atomic table;
static void (*start_helpers)(unsigned count);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* true after this process has searched the cache for missing programs. Guarded by `mutex`, because
 * two threads may open devices at once. */
static bool has_looked;

static const uint16_t *expected[2];
static unsigned expected_first[2], expected_count[2];
static bool expects_at_once, none_for_cpus;

static void (*_Atomic notice_of_build)(bool is_building);
static _Atomic uint64_t waited;
static THREAD_MEMORY uint64_t waited_here;

void gpu_expect(bool simd, unsigned first, unsigned count, const uint16_t *programs) {
    expected[simd] = programs;
    expected_first[simd] = first;
    expected_count[simd] = count;
}

void gpu_expect_at_once(void) {
    expects_at_once = true;
}

void gpu_build_nothing_for_cpus(void) {
    none_for_cpus = true;
}

bool builds_are_forbidden(bool is_cpu) {
    return is_cpu && none_for_cpus;
}

/* Returns the table of builds: the table shared with helpers, otherwise this process's own.
 * builds_ahead, which may start helpers, must be called before the first build: so all builds use
 * the same table. */
static struct builds *builds(void) {
    struct builds *shared = atomic_load(&table);
    return shared ? shared : &own;
}

void builds_share(struct builds *shared, void (*start)(unsigned count)) {
    atomic_store(&table, shared);
    start_helpers = start;
}

static void find_missing(struct builds *b, bool (*is_missing)(const void *dev, enum gpu_program),
                         const void *dev) {
    struct builds_list *missing = &b->missing;
    for (unsigned i = 0; i < expected_count[b->simd] && i < GPU_PROGRAMS; i++) {
        const uint16_t program = expected[b->simd][i];
        if (program >= GPU_PROGRAMS || !is_missing(dev, program))
            continue;
        missing->program[missing->count++] = program;
        missing->first = (uint16_t)(missing->first + (i < expected_first[b->simd]));
    }
    atomic_fetch_add(&b->wanted, b->at_once ? missing->count : missing->first);
}

static void look(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                 const void *dev) {
    struct builds *shared = atomic_load(&table) ? NULL : helpers_share();
    if (shared)
        builds_share(shared, helpers_start);
    struct builds *b = builds();
    b->device = device;
    b->simd = simd;
    b->at_once = expects_at_once;
    find_missing(b, is_missing, dev);
    if (b->missing.count == 0 && simd)
        built_mark_set();
    if (start_helpers)
        start_helpers(b->missing.count);
}

void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev) {
    pthread_mutex_lock(&mutex);
    if (!has_looked)
        look(device, simd, is_missing, dev);
    has_looked = true;
    pthread_mutex_unlock(&mutex);
}

void gpu_build_expected(const struct gpu_device *dev) {
    const struct builds_list *missing = &builds()->missing;
    for (unsigned i = 0; i < missing->count && dev->backend->build_ahead; i++)
        dev->backend->build_ahead(dev->impl, missing->program[i]);
}

/* Returns true if `wanted` already counts the program: it was missing in the cache, and the first
 * result needs it or at_once is set. */
static bool is_counted(enum gpu_program program) {
    const struct builds_list *list = &builds()->missing;
    for (unsigned i = 0; i < (builds()->at_once ? list->count : list->first); i++)
        if (list->program[i] == program)
            return true;
    return false;
}

bool builds_take(enum gpu_program program) {
    unsigned nobody = 0;
    if (!atomic_compare_exchange_strong(&builds()->owner[program], &nobody, (unsigned)getpid()))
        return false;
    if (!is_counted(program))
        atomic_fetch_add(&builds()->wanted, 1);
    return true;
}

static void free_from_dead(enum gpu_program program, unsigned owner) {
    if (detached_has_ended((pid_t)owner) &&
        atomic_compare_exchange_strong(&builds()->owner[program], &owner, 0))
        gpu_log(GPU_LOG_DETAIL, "a process that built a program has ended");
}

bool builds_begin(enum gpu_program program) {
    atomic_uint *const place = &builds()->owner[program];
    while (!builds_take(program)) {
        unsigned owner = atomic_load(place);
        if (owner == BUILDS_DONE || gpu_stopped())
            return false;
        if (owner == (unsigned)getpid())
            return true;
        if (owner == 0)
            continue;
        futex_sleep(place, owner, look_ns);
        if (atomic_load(place) == owner)
            free_from_dead(program, owner);
    }
    return true;
}

/* Returns true if the device is a CPU and every announced program that the cache lacked at first is
 * now built. */
static bool are_all_done(void) {
    const struct builds_list *list = &builds()->missing;
    for (unsigned i = 0; i < list->count; i++)
        if (atomic_load(&builds()->owner[list->program[i]]) != BUILDS_DONE)
            return false;
    return builds()->simd && list->count > 0;
}

void builds_end(enum gpu_program program, bool is_built) {
    atomic_fetch_add(&builds()->done, 1);
    atomic_store(&builds()->owner[program], is_built ? BUILDS_DONE : 0);
    futex_wake(&builds()->owner[program]);
    if (is_built && are_all_done())
        built_mark_set();
}

void builds_count(void) {
    atomic_fetch_add(&builds()->wanted, 1);
    atomic_fetch_add(&builds()->done, 1);
}

void gpu_builds_ask(struct gpu_builds_numbers *n) {
    n->wanted = atomic_load(&builds()->wanted);
    n->done = atomic_load(&builds()->done);
    n->waited_ns = atomic_load(&waited);
}

uint64_t gpu_builds_waited_here(void) {
    const uint64_t *here = THREAD_MEMORY_FIND(waited_here);
    return here ? *here : 0;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static unsigned count_done(void) {
    struct gpu_builds_numbers n;
    gpu_builds_ask(&n);
    return n.done;
}

void gpu_set_build_notice(void (*notice)(bool is_building)) {
    atomic_store(&notice_of_build, notice);
}

static void give_notice(bool is_building) {
    void (*notice)(bool) = atomic_load(&notice_of_build);
    if (notice)
        notice(is_building);
}

struct builds_clock builds_clock(void) {
    give_notice(true);
    return (struct builds_clock){count_done(), now()};
}

void builds_wait_ended(struct builds_clock begun) {
    give_notice(false);
    if (count_done() == begun.done)
        return;
    uint64_t ns = now() - begun.ns, *here = THREAD_MEMORY_GET(waited_here);
    if (here)
        *here += ns;
    atomic_fetch_add(&waited, ns);
}
