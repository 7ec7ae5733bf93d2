/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements executors: threads that call the device for the program's threads. */
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
    struct event posted, finished; /* counts */
    _Atomic int64_t progress;      /* the time at which the executor last reported progress */
    atomic_bool is_building;
};
/* Factor of the time limit of a wait while kernels are being built. A compiler may report no
 * progress for minutes. */
enum { TIMES_FOR_A_BUILD = 10 };

static _Atomic int64_t spin_jobs, spin_answers; /* nanoseconds */
static atomic_uint progress_count;
static THREAD_MEMORY struct here {
    struct executor *executor; /* the executor if this thread is one, otherwise NULL */
    /* the factor set by executor_spin_times, minus 1, so that it can be 0 at first */
    unsigned spins_more;
    struct executor_watch *watch;
} here;

/* Records in thread-local memory that the calling thread is the executor *e. Without such memory
 * the watchdog does not see this executor's progress. */
static void mark_thread_as_executor(struct executor *e) {
    struct here *h = THREAD_MEMORY_GET(here);
    if (h)
        h->executor = e;
}

/* Returns the executor if the calling thread is one, otherwise NULL. */
static struct executor *find_executor_of_thread(void) {
    const struct here *h = THREAD_MEMORY_FIND(here);
    return h ? h->executor : NULL;
}

static void thread_main(void *executor) {
    struct executor *e = executor;
    for (unsigned next = 1;; next++) {
        struct backoff b = {.spin_ns = atomic_load(&spin_jobs)};
        backoff_wait(&b, &e->posted, next, EVENT_FOREVER);
        mark_thread_as_executor(e);
        e->function(e->argument);
        event_post(&e->finished);
    }
}

bool executor_is_here(void) {
    return find_executor_of_thread() != NULL;
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
    struct executor *e = find_executor_of_thread();
    struct executor_watch *watch = find_watch();
    if (watch)
        atomic_fetch_add_explicit(&watch->progress, 1, memory_order_relaxed);
    if (!e)
        return;
    atomic_store_explicit(&e->progress, event_clock(), memory_order_relaxed);
    atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
}

/* Records that the calling thread begins or ends building kernels (gpu_set_build_notice). Reports
 * progress first, because after a build the shorter time limit applies again, counted from this
 * progress. */
static void note_build(bool is_building) {
    struct executor *e = find_executor_of_thread();
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

static bool is_building(const struct executor_patience *p) {
    return p->e ? atomic_load(&p->e->is_building) : atomic_load(&p->far->building) > 0;
}

/* Returns the time of the last progress: of the executor p->e, or of the other process if p->e is
 * NULL. */
static int64_t last_progress(struct executor_patience *p) {
    if (p->e)
        return atomic_load_explicit(&p->e->progress, memory_order_relaxed);
    const unsigned progress = atomic_load(&p->far->progress);
    if (progress != p->progress)
        p->last = event_clock();
    p->progress = progress;
    return p->last;
}

static struct executor_patience begin_patience(double seconds) {
    const int64_t now = event_clock();
    return (struct executor_patience){.start = now,
                                      .looked = now,
                                      .most = seconds == 0 ? EVENT_FOREVER
                                                           : event_nanoseconds(seconds)};
}

struct executor_patience executor_patience_begin(const struct executor_watch *watch,
                                                 double seconds) {
    struct executor_patience p = begin_patience(seconds);
    p.far = watch;
    p.progress = atomic_load(&watch->progress);
    return p;
}

/* Returns how many nanoseconds remain until the time limit. note_build writes the progress before
 * `is_building`, and this function reads them in the reverse order. So if it sees that a build has
 * ended, it also sees the progress that was reported then. */
static int64_t nanoseconds_left(struct executor_patience *p) {
    const bool builds = is_building(p);
    int64_t last = last_progress(p), most = p->most;
    if (builds)
        most = most < EVENT_FOREVER / TIMES_FOR_A_BUILD ? most * TIMES_FOR_A_BUILD : EVENT_FOREVER;
    return (last > p->start ? last : p->start) + most - event_clock();
}

/* Does the same as nanoseconds_left; a waiting thread calls it every few milliseconds. If the
 * process was stopped since the last call, restarts the time limit. */
static int64_t nanoseconds_left_if_not_stopped(struct executor_patience *p) {
    if (stopped_since(&p->looked, SIGNAL_GUARD_LOOK_NS))
        p->start = p->looked;
    atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
    return nanoseconds_left(p);
}

bool executor_patience_is_over(struct executor_patience *p) {
    return nanoseconds_left_if_not_stopped(p) <= 0;
}

/* Memory in which a waiting thread reports the executor's progress to another process. */
struct shown {
    struct executor_watch *watch; /* or NULL */
    int64_t last;
};

static void show_progress_to_waiter(struct shown *shown, struct executor_patience *p) {
    const int64_t last = last_progress(p);
    if (!shown->watch)
        return;
    atomic_store(&shown->watch->building, is_building(p));
    if (last != shown->last)
        atomic_fetch_add(&shown->watch->progress, 1);
    shown->last = last;
}

static bool wait_for(struct executor_patience *p, bool (*is_lost)(void), struct event *event,
                     unsigned value, struct executor_watch *watch) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    struct shown shown = {.watch = watch};
    int64_t left = nanoseconds_left(p);
    while (left > 0) {
        left = left < SIGNAL_GUARD_LOOK_NS ? left : SIGNAL_GUARD_LOOK_NS;
        if (backoff_wait(&b, event, value, left))
            return true;
        if (!signal_guard_let_pass() || (is_lost && is_lost()))
            return false;
        show_progress_to_waiter(&shown, p);
        left = nanoseconds_left_if_not_stopped(p);
    }
    return event_has_reached(event, value);
}

/* Waits for an executor of this process to raise the event's count to `value`. */
static bool await_own_executor(struct executor *e, struct event *event, unsigned value,
                               double seconds, struct executor_watch *shown) {
    struct executor_patience p = begin_patience(seconds);
    p.e = e;
    return wait_for(&p, NULL, event, value, shown);
}

bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds) {
    return await_own_executor(e, event, value, seconds, NULL);
}

bool executor_wait_shown(struct executor *e, struct event *event, unsigned value, double seconds,
                         struct executor_watch *shown) {
    const bool has_come = await_own_executor(e, event, value, seconds, shown);
    atomic_store(&shown->building, 0);
    return has_come;
}

bool executor_wait_far(const struct executor_watch *watch, bool (*is_lost)(void),
                       struct event *event, unsigned value, double seconds) {
    struct executor_patience p = executor_patience_begin(watch, seconds);
    return wait_for(&p, is_lost, event, value, NULL);
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
