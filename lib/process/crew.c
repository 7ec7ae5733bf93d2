/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads that wait for parts of jobs. */
#include "config.h"

#include "lib/process/crew.h"

#include <stddef.h>

#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/process/worker.h"

static struct member {
    struct event posted, finished; /* how many parts so far */
    void (*work)(void *job, unsigned i);
    void *job;
    unsigned i;
    bool is_there; /* its thread has been started */
} members[CREW_MOST - 1];

static atomic_flag is_taken = ATOMIC_FLAG_INIT;

/* Spins for as long as a thread spins for a device's answer. */
static void thread_main(void *member) {
    struct member *m = member;
    for (unsigned next = 1;; next++) {
        struct backoff b = {.spin_ns = executor_spin_ns()};
        while (!backoff_wait(&b, &m->posted, next, EVENT_FOREVER))
            continue;
        m->work(m->job, m->i);
        event_post(&m->finished);
    }
}

static void post(struct member *m, void (*work)(void *job, unsigned i), void *job, unsigned i) {
    m->work = work;
    m->job = job;
    m->i = i;
    event_post(&m->posted);
}

static void await(struct member *m) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    while (!backoff_wait(&b, &m->finished, event_count(&m->posted), SIGNAL_GUARD_LONG_NS))
        signal_guard_let_pass();
}

/* Has each part but the first one a thread? */
static bool start(unsigned count) {
    bool all = true;
    for (struct member *m = members; m < members + count - 1 && all; m++)
        all = m->is_there = m->is_there || worker_start(thread_main, m);
    return all;
}

static void run_together(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    for (unsigned i = 1; i < count; i++)
        post(&members[i - 1], work, job, i);
    work(job, 0);
    for (unsigned i = 1; i < count; i++)
        await(&members[i - 1]);
}

bool crew_try(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    struct signal_guard guard;
    bool done = false;
    signal_guard_begin(&guard);
    if (!shutdown_was_forked() && !atomic_flag_test_and_set(&is_taken)) {
        done = start(count);
        if (done)
            run_together(count, work, job);
        atomic_flag_clear(&is_taken);
    }
    signal_guard_end(&guard);
    return done;
}

void crew_run(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    struct signal_guard guard;
    if (count > 1 && crew_try(count, work, job))
        return;
    signal_guard_begin(&guard);
    for (unsigned i = 0; i < count; i++)
        work(job, i);
    signal_guard_end(&guard);
}
