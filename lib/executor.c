/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device. */
#include "config.h"

#include "executor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "manners.h"
#include "patience.h"
#include "stats.h"
#include "worker.h"

struct executor {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on the monotonic clock */
    void (*function)(void *);
    void *argument;
    atomic_uint posted, finished; /* how many so far */
    int sleepers;                 /* in pthread_cond_wait; with the mutex held */
    _Atomic double progress;      /* when the thread last showed that it gets on */
};

static const double look_seconds = 0.1; /* between looks at signals, in a wait */
static _Atomic double watch_posts, watch_answers;
static _Thread_local struct executor *here;

static int reached(atomic_uint *count, unsigned value) {
    return (int)(atomic_load_explicit(count, memory_order_acquire) - value) >= 0;
}

/* Look for so many seconds whether *count has reached `value`. */
static int watched(atomic_uint *count, unsigned value, double seconds) {
    if (seconds <= 0)
        return reached(count, value);
    for (double end = stats_clock() + seconds; stats_clock() < end;)
        for (int i = 0; i < 50; i++, patience_breath())
            if (reached(count, value))
                return 1;
    return 0;
}

/* Woken with the mutex free: a sleeper would go to sleep again for it. */
static void announce(struct executor *e, atomic_uint *count) {
    pthread_mutex_lock(&e->mutex);
    atomic_fetch_add(count, 1);
    int sleepers = e->sleepers;
    pthread_mutex_unlock(&e->mutex);
    if (sleepers > 0)
        pthread_cond_broadcast(&e->changed);
}

/* Until *count has reached `value`, or the time is `end` if that is given. */
static int sleep_until(struct executor *e, atomic_uint *count, unsigned value,
                       const struct timespec *end) {
    int timeout = 0;
    pthread_mutex_lock(&e->mutex);
    e->sleepers++;
    while (!reached(count, value) && !timeout)
        timeout = end ? pthread_cond_timedwait(&e->changed, &e->mutex, end) != 0
                      : pthread_cond_wait(&e->changed, &e->mutex) != 0;
    e->sleepers--;
    pthread_mutex_unlock(&e->mutex);
    return reached(count, value);
}

static void thread_main(void *executor) {
    struct executor *e = here = executor;
    for (unsigned next = 1;; next++) {
        if (!watched(&e->posted, next, atomic_load(&watch_posts)))
            sleep_until(e, &e->posted, next, NULL);
        e->function(e->argument);
        announce(e, &e->finished);
    }
}

struct executor *executor_start(void) {
    pthread_condattr_t attributes;
    struct executor *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    pthread_mutex_init(&e->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&e->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (worker_start(thread_main, e))
        return e;
    free(e);
    return NULL;
}

int executor_is_here(void) {
    return here != NULL;
}

void executor_post(struct executor *e, void (*next)(void *), void *with) {
    e->function = next;
    e->argument = with;
    announce(e, &e->posted);
}

static struct timespec after(double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    time_t whole = (time_t)seconds;
    long ns = end.tv_nsec + (long)((seconds - (double)whole) * 1e9);
    end.tv_sec += whole + ns / 1000000000;
    end.tv_nsec = ns % 1000000000;
    return end;
}

void executor_gets_on(void) {
    if (here)
        atomic_store_explicit(&here->progress, stats_clock(), memory_order_relaxed);
}

/* Seconds until there has been no progress for so many. */
static double left_of(struct executor *e, double seconds, double start) {
    double last = atomic_load_explicit(&e->progress, memory_order_relaxed);
    return (last > start ? last : start) + seconds - stats_clock();
}

int executor_wait(struct executor *e, double seconds) {
    unsigned all = atomic_load(&e->posted);
    if (watched(&e->finished, all, atomic_load(&watch_answers)))
        return 1;
    double start = stats_clock(), left;
    while ((left = seconds == 0 ? look_seconds : left_of(e, seconds, start)) > 0) {
        struct timespec end = after(left < look_seconds ? left : look_seconds);
        if (sleep_until(e, &e->finished, all, &end))
            return 1;
        manners_let_pass();
    }
    return reached(&e->finished, all);
}

void executor_watch(double posts, double answers) {
    atomic_store(&watch_posts, posts);
    atomic_store(&watch_answers, answers);
}
