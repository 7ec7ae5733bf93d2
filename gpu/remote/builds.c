/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that are built at run time, counted and shared out. */
#include "config.h"

#include "gpu/remote/builds.h"

#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/futex.h"
#include "gpu/remote/kept.h"
#include "gpu/remote/remote_channel.h"

/* Between looks whether the process that builds lives. */
static const int64_t look_ns = 50000000;

static __attribute__((section(".bss.large"))) struct builds own;
static struct builds *builds = &own;
static void (*_Atomic start_helpers)(unsigned count); /* two devices may be opened at once */

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
    return is_cpu && (none_for_cpus || builds->none_for_cpus);
}

void builds_copy_expected(struct builds *to) {
    to->at_once = expects_at_once;
    to->none_for_cpus = none_for_cpus;
    for (int kind = 0; kind < 2; kind++) {
        struct builds_list *list = &to->expected[kind];
        list->first = (uint16_t)expected_first[kind];
        list->count = (uint16_t)expected_count[kind];
        for (unsigned i = 0; i < list->count && i < GPU_PROGRAMS; i++)
            list->program[i] = expected[kind][i];
    }
}

void builds_share(struct builds *shared, void (*start)(unsigned count)) {
    builds = shared;
    atomic_store(&start_helpers, start);
}

static void find_missing(bool (*is_missing)(const void *dev, enum gpu_program), const void *dev) {
    const struct builds_list *list = &builds->expected[builds->simd];
    struct builds_list *missing = &builds->missing;
    for (unsigned i = 0; i < list->count && i < GPU_PROGRAMS; i++) {
        if (list->program[i] >= GPU_PROGRAMS || !is_missing(dev, list->program[i]))
            continue;
        missing->program[missing->count++] = list->program[i];
        missing->first = (uint16_t)(missing->first + (i < list->first));
    }
    atomic_fetch_add(&builds->wanted, builds->at_once ? missing->count : missing->first);
}

void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev) {
    void (*start)(unsigned) = atomic_exchange(&start_helpers, NULL);
    if (!start)
        return;
    builds->device = device;
    builds->simd = simd;
    find_missing(is_missing, dev);
    if (builds->missing.count > 0)
        start(builds->missing.count);
    else if (simd)
        kept_mark();
}

/* Were they counted when the helpers were started? */
static bool is_counted(enum gpu_program program) {
    const struct builds_list *list = &builds->missing;
    for (unsigned i = 0; i < (builds->at_once ? list->count : list->first); i++)
        if (list->program[i] == program)
            return true;
    return false;
}

bool builds_take(enum gpu_program program) {
    unsigned nobody = 0;
    if (!atomic_compare_exchange_strong(&builds->owner[program], &nobody, (unsigned)getpid()))
        return false;
    if (!is_counted(program))
        atomic_fetch_add(&builds->wanted, 1);
    return true;
}

/* A helper is a child of this process. */
static void free_from_dead(enum gpu_program program, unsigned owner) {
    if (waitpid((pid_t)owner, NULL, WNOHANG) != 0 &&
        atomic_compare_exchange_strong(&builds->owner[program], &owner, 0))
        gpu_log(GPU_LOG_DETAIL, "a process that built a program has ended");
}

bool builds_begin(enum gpu_program program) {
    while (!builds_take(program)) {
        unsigned owner = atomic_load(&builds->owner[program]);
        if (owner == BUILDS_DONE)
            return false;
        if (owner == (unsigned)getpid())
            return true;
        if (owner == 0)
            continue;
        futex_sleep(&builds->owner[program], owner, look_ns);
        if (atomic_load(&builds->owner[program]) == owner)
            free_from_dead(program, owner);
    }
    return true;
}

/* Of what was missing for a CPU, is all in the cache? */
static bool are_all_done(void) {
    const struct builds_list *list = &builds->missing;
    for (unsigned i = 0; i < list->count; i++)
        if (atomic_load(&builds->owner[list->program[i]]) != BUILDS_DONE)
            return false;
    return builds->simd && list->count > 0;
}

void builds_end(enum gpu_program program, bool is_built) {
    atomic_fetch_add(&builds->done, 1);
    atomic_store(&builds->owner[program], is_built ? BUILDS_DONE : 0);
    futex_wake(&builds->owner[program]);
    if (is_built && are_all_done())
        kept_mark();
}

void builds_count(void) {
    atomic_fetch_add(&builds->wanted, 1);
    atomic_fetch_add(&builds->done, 1);
}

void gpu_builds_ask(struct gpu_builds_numbers *n) {
    unsigned wanted = 0, done = 0;
    remote_builds(&wanted, &done);
    n->wanted = wanted + atomic_load(&builds->wanted);
    n->done = done + atomic_load(&builds->done);
    n->waited_ns = atomic_load(&waited);
}

void gpu_builds_look(void) {
    remote_look_at_builds();
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
