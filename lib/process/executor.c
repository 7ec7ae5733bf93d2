/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device. */
#include "config.h"

#include "lib/process/executor.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/process/backoff.h"
#include "lib/process/signal_guard.h"
#include "lib/process/stopped.h"
#include "lib/process/worker.h"

struct executor {
    void (*function)(void *);
    void *argument;
    struct event posted, finished; /* how many so far */
    _Atomic int64_t progress;      /* the time of the last */
};

static _Atomic int64_t spin_jobs, spin_answers; /* nanoseconds */
static atomic_uint progress_count;
static _Thread_local struct executor *here;
static _Thread_local unsigned spins_more; /* one less than executor_spin_times */

static void thread_main(void *executor) {
    struct executor *e = here = executor;
    for (unsigned next = 1;; next++) {
        struct backoff b = {.spin_ns = atomic_load(&spin_jobs)};
        backoff_wait(&b, &e->posted, next, EVENT_FOREVER);
        e->function(e->argument);
        event_post(&e->finished);
    }
}

struct executor *executor_start(void) {
    struct executor *e = calloc(1, sizeof *e);
    if (e && worker_start(thread_main, e))
        return e;
    free(e);
    return NULL;
}

bool executor_is_here(void) {
    return here != NULL;
}

void executor_post(struct executor *e, void (*next)(void *), void *with) {
    e->function = next;
    e->argument = with;
    event_post(&e->posted);
}

void executor_progress(void) {
    if (!here)
        return;
    atomic_store_explicit(&here->progress, event_clock(), memory_order_relaxed);
    atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
}

/* What is left of the time that it may take without progress. */
static int64_t left_of(struct executor *e, int64_t most, int64_t start) {
    int64_t last = atomic_load_explicit(&e->progress, memory_order_relaxed);
    return (last > start ? last : start) + most - event_clock();
}

bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    int64_t most = event_nanoseconds(seconds), start = event_clock(), looked = start, left;
    while ((left = seconds == 0 ? EVENT_FOREVER : left_of(e, most, start)) > 0) {
        left = left < SIGNAL_GUARD_LOOK_NS ? left : SIGNAL_GUARD_LOOK_NS;
        if (backoff_wait(&b, event, value, left))
            return true;
        if (!signal_guard_let_pass())
            return false;
        if (stopped_since(&looked, SIGNAL_GUARD_LOOK_NS))
            start = looked;
        atomic_fetch_add_explicit(&progress_count, 1, memory_order_relaxed);
    }
    return event_has_reached(event, value);
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
    return atomic_load_explicit(&spin_answers, memory_order_relaxed) * (1 + spins_more);
}

unsigned executor_spin_times(unsigned times) {
    unsigned before = 1 + spins_more;
    spins_more = times - 1;
    return before;
}

void executor_set_spin(double jobs, double answers) {
    atomic_store(&spin_jobs, event_nanoseconds(jobs));
    atomic_store(&spin_answers, event_nanoseconds(answers));
}
