/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads that copy in rounds. */
#include "config.h"

#include "lib/transfer/copier.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/process/backoff.h"
#include "lib/process/worker.h"

enum { END_SPIN_NS = 20000 };

struct copier {
    struct event come, gone; /* a round or the end has begun; no thread is left in a round */
    pthread_t thread[COPIER_MOST];
    int64_t spin_ns;
    int wanted;        /* threads, the caller's included */
    int started;       /* of our own, those that could be made */
    atomic_uint round; /* odd while threads may come in, each once; even between rounds */
    atomic_int active; /* threads that have come in, or are about to see that they must not */
    atomic_int closing;
    void (*work)(void *job); /* set before the round begins */
    void *job;
};

/* Half of the CPUs that this process may use: more would slow down the program, and one another
 * while they spin. */
static int cpus(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    count = count > 2 ? (count + 1) / 2 : count;
    return count < 1 ? 1 : count > COPIER_MOST ? COPIER_MOST : count;
}

struct copier *copier_open(bool is_another, int64_t spin_ns) {
    struct copier *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->spin_ns = spin_ns;
    c->wanted = is_another ? (cpus() + 1) / 2 : cpus();
    return c;
}

int copier_threads(const struct copier *c) {
    return c->wanted;
}

static bool is_open(unsigned round, unsigned last) {
    return round % 2 == 1 && round != last;
}

static bool is_due(struct copier *c, unsigned last) {
    return is_open(atomic_load(&c->round), last) || atomic_load(&c->closing);
}

static void wait_until_due(struct copier *c, unsigned last) {
    for (;;) {
        unsigned next = event_count(&c->come) + 1;
        if (is_due(c, last))
            return;
        backoff_wait(&(struct backoff){.spin_ns = c->spin_ns}, &c->come, next, EVENT_FOREVER);
    }
}

/* A thread that comes in counts first and looks then; copier_end does the opposite.  So a round
 * does not end before all threads have left it.  Returns the last round that this thread took part
 * in. */
static unsigned take_part(struct copier *c, unsigned last) {
    atomic_fetch_add(&c->active, 1);
    unsigned round = atomic_load(&c->round);
    if (is_open(round, last)) {
        c->work(c->job);
        last = round;
    }
    if (atomic_fetch_sub(&c->active, 1) == 1)
        event_post(&c->gone);
    return last;
}

static void thread_main(void *context) {
    struct copier *c = context;
    unsigned last = 0;
    for (;;) {
        wait_until_due(c, last);
        if (atomic_load(&c->closing))
            return;
        last = take_part(c, last);
    }
}

/* Start the threads; fewer where the system refuses. */
static void start_threads(struct copier *c) {
    while (c->started < c->wanted - 1 && worker_thread(&c->thread[c->started], thread_main, c))
        c->started++;
    c->wanted = c->started + 1;
}

void copier_close(struct copier *c) {
    atomic_store(&c->closing, 1);
    event_post(&c->come);
    for (int i = 0; i < c->started; i++)
        pthread_join(c->thread[i], NULL);
    free(c);
}

void copier_begin(struct copier *c, void (*work)(void *job), void *job) {
    if (c->started < c->wanted - 1)
        start_threads(c);
    c->work = work;
    c->job = job;
    atomic_fetch_add(&c->round, 1);
    event_post(&c->come);
}

void copier_end(struct copier *c) {
    atomic_fetch_add(&c->round, 1);
    for (;;) {
        unsigned next = event_count(&c->gone) + 1;
        if (atomic_load(&c->active) == 0)
            return;
        backoff_wait(&(struct backoff){.spin_ns = END_SPIN_NS}, &c->gone, next, EVENT_FOREVER);
    }
}
