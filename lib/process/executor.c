/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device. */
#include "config.h"

#include "lib/process/executor.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "gpu/gpu.h"
#include "lib/process/backoff.h"
#include "lib/process/signal_guard.h"
#include "lib/process/stopped.h"
#include "lib/process/worker.h"

struct executor {
    void (*function)(void *);
    void *argument;
    struct event posted, finished; /* how many so far */
    _Atomic int64_t progress;      /* the time of the last */
    atomic_bool is_building;
};
/* A compiler is silent for longer than a kernel, on a busy machine for minutes. */
enum { TIMES_FOR_A_BUILD = 10 };

static _Atomic int64_t spin_jobs, spin_answers; /* nanoseconds */
static atomic_uint progress_count;
static THREAD_MEMORY struct here {
    struct executor *executor; /* whose thread it is, or NULL */
    unsigned spins_more;       /* one less than executor_spin_times */
    struct executor_watch *watch;
} here;

/* Without memory the thread works all the same; the watchdog does not hear of its progress. */
static void mark(struct executor *e) {
    struct here *h = THREAD_MEMORY_GET(here);
    if (h)
        h->executor = e;
}

/* Of this thread, or NULL. */
static struct executor *find(void) {
    const struct here *h = THREAD_MEMORY_FIND(here);
    return h ? h->executor : NULL;
}

static void thread_main(void *executor) {
    struct executor *e = executor;
    for (unsigned next = 1;; next++) {
        struct backoff b = {.spin_ns = atomic_load(&spin_jobs)};
        backoff_wait(&b, &e->posted, next, EVENT_FOREVER);
        mark(e);
        e->function(e->argument);
        event_post(&e->finished);
    }
}

bool executor_is_here(void) {
    return find() != NULL;
}

void executor_post(struct executor *e, void (*next)(void *), void *with) {
    e->function = next;
    e->argument = with;
    event_post(&e->posted);
}

void executor_set_watch(struct executor_watch *watch) {
    struct here *h = THREAD_MEMORY_GET(here);
    if (h)
        h->watch = watch;
}

static struct executor_watch *find_watch(void) {
    const struct here *h = THREAD_MEMORY_FIND(here);
    return h ? h->watch : NULL;
}

void executor_progress(void) {
    struct executor *e = find();
    struct executor_watch *watch = find_watch();
    if (watch)
        atomic_fetch_add_explicit(&watch->progress, 1, memory_order_relaxed);
    if (!e)
        return;
    atomic_store_explicit(&e->progress, event_clock(), memory_order_relaxed);
    atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
}

/* gpu_set_build_notice.  The end of a build counts as progress before its time limit ends. */
static void note_build(bool is_building) {
    struct executor *e = find();
    executor_progress();
    if (e)
        atomic_store(&e->is_building, is_building);
    if (find_watch())
        atomic_fetch_add(&find_watch()->building, is_building ? 1u : -1u);
}

struct executor *executor_start(void) {
    gpu_set_build_notice(note_build);
    struct executor *e = calloc(1, sizeof *e);
    if (e && worker_start(thread_main, e))
        return e;
    free(e);
    return NULL;
}

/* Who is waited for: a thread of this process, or another process. */
struct waited {
    struct executor *e; /* or NULL: */
    const struct executor_watch *far;
    bool (*is_lost)(void);
    unsigned progress;            /* of `far` at the last look, */
    int64_t last;                 /* and when it grew */
    struct executor_watch *shown; /* or NULL: the progress of `e` */
};

static bool is_building(const struct waited *w) {
    return w->e ? atomic_load(&w->e->is_building) : atomic_load(&w->far->building) > 0;
}

/* When it made its last progress. */
static int64_t last_progress(struct waited *w) {
    if (w->e)
        return atomic_load_explicit(&w->e->progress, memory_order_relaxed);
    const unsigned progress = atomic_load(&w->far->progress);
    if (progress != w->progress)
        w->last = event_clock();
    w->progress = progress;
    return w->last;
}

static void show(struct waited *w) {
    const int64_t last = last_progress(w);
    if (!w->shown)
        return;
    atomic_store(&w->shown->building, is_building(w));
    if (last != w->last)
        atomic_fetch_add(&w->shown->progress, 1);
    w->last = last;
}

/* What is left of the time that it may take without progress.  Reads in the opposite order of
 * note_build: without a build, the progress at its end is seen. */
static int64_t left_of(struct waited *w, int64_t most, int64_t start) {
    const bool builds = is_building(w);
    int64_t last = last_progress(w);
    if (builds)
        most = most < EVENT_FOREVER / TIMES_FOR_A_BUILD ? most * TIMES_FOR_A_BUILD : EVENT_FOREVER;
    return (last > start ? last : start) + most - event_clock();
}

static bool wait_for(struct waited *w, struct event *event, unsigned value, double seconds) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    int64_t most = event_nanoseconds(seconds), start = event_clock(), looked = start, left;
    while ((left = seconds == 0 ? EVENT_FOREVER : left_of(w, most, start)) > 0) {
        left = left < SIGNAL_GUARD_LOOK_NS ? left : SIGNAL_GUARD_LOOK_NS;
        if (backoff_wait(&b, event, value, left))
            return true;
        if (!signal_guard_let_pass() || (w->is_lost && w->is_lost()))
            return false;
        if (stopped_since(&looked, SIGNAL_GUARD_LOOK_NS))
            start = looked;
        show(w);
        atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
    }
    return event_has_reached(event, value);
}

bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds) {
    return wait_for(&(struct waited){.e = e}, event, value, seconds);
}

bool executor_wait_shown(struct executor *e, struct event *event, unsigned value, double seconds,
                         struct executor_watch *shown) {
    const bool has_come = wait_for(&(struct waited){.e = e, .shown = shown}, event, value, seconds);
    atomic_store(&shown->building, 0);
    return has_come;
}

bool executor_wait_far(const struct executor_watch *watch, bool (*is_lost)(void),
                       struct event *event, unsigned value, double seconds) {
    struct waited w = {.far = watch, .is_lost = is_lost, .progress = atomic_load(&watch->progress)};
    return wait_for(&w, event, value, seconds);
}

unsigned executor_posted(struct executor *e) {
    return event_count(&e->posted);
}

bool executor_wait_for_job(struct executor *e, unsigned job, double seconds) {
    return executor_wait_for(e, &e->finished, job, seconds);
}

bool executor_wait(struct executor *e, double seconds) {
    return executor_wait_for_job(e, executor_posted(e), seconds);
}

unsigned executor_progress_count(void) {
    return atomic_load_explicit(&progress_count, memory_order_relaxed);
}

int64_t executor_spin_ns(void) {
    const struct here *h = THREAD_MEMORY_FIND(here);
    unsigned times = 1 + (h ? h->spins_more : 0);
    return atomic_load_explicit(&spin_answers, memory_order_relaxed) * times;
}

unsigned executor_spin_times(unsigned times) {
    struct here *h = THREAD_MEMORY_GET(here);
    if (!h)
        return 1;
    unsigned before = 1 + h->spins_more;
    h->spins_more = times - 1;
    return before;
}

void executor_set_spin(double jobs, double answers) {
    atomic_store(&spin_jobs, event_nanoseconds(jobs));
    atomic_store(&spin_answers, event_nanoseconds(answers));
}
