/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that calls the device. */
#include "config.h"

#include "executor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "patience.h"
#include "stats.h"
#include "worker.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* on the monotonic clock */
static void (*function)(void *);
static void *argument;
static atomic_uint posted, finished; /* how many so far */
static int sleepers;                 /* in pthread_cond_wait; with the mutex held */
static _Atomic double watch;
static _Atomic double progress; /* when the thread last showed that it gets on */
static _Thread_local int is_here;

static int reached(atomic_uint *count, unsigned value) {
    return (int)(atomic_load_explicit(count, memory_order_acquire) - value) >= 0;
}

/* Look for some microseconds whether *count has reached `value`. */
static int watched(atomic_uint *count, unsigned value) {
    double seconds = atomic_load_explicit(&watch, memory_order_relaxed);
    if (seconds <= 0)
        return reached(count, value);
    for (double end = stats_clock() + seconds; stats_clock() < end;)
        for (int i = 0; i < 50; i++, patience_breath())
            if (reached(count, value))
                return 1;
    return 0;
}

static void announce(atomic_uint *count) {
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(count, 1);
    if (sleepers > 0)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* Until *count has reached `value`, or the time is `end` if that is given. */
static int sleep_until(atomic_uint *count, unsigned value, const struct timespec *end) {
    int timeout = 0;
    pthread_mutex_lock(&mutex);
    sleepers++;
    while (!reached(count, value) && !timeout)
        timeout = end ? pthread_cond_timedwait(&changed, &mutex, end) != 0
                      : pthread_cond_wait(&changed, &mutex) != 0;
    sleepers--;
    pthread_mutex_unlock(&mutex);
    return reached(count, value);
}

static void thread_main(void *unused) {
    (void)unused;
    is_here = 1;
    for (unsigned next = 1;; next++) {
        if (!watched(&posted, next))
            sleep_until(&posted, next, NULL);
        function(argument);
        announce(&finished);
    }
}

int executor_start(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return worker_start(thread_main, NULL);
}

int executor_is_here(void) {
    return is_here;
}

void executor_post(void (*next)(void *), void *with) {
    function = next;
    argument = with;
    announce(&posted);
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
    atomic_store_explicit(&progress, stats_clock(), memory_order_relaxed);
}

/* Seconds until there has been no progress for so many. */
static double left_of(double seconds, double start) {
    double last = atomic_load_explicit(&progress, memory_order_relaxed);
    return (last > start ? last : start) + seconds - stats_clock();
}

int executor_wait(double seconds) {
    unsigned all = atomic_load(&posted);
    if (watched(&finished, all))
        return 1;
    if (seconds == 0)
        return sleep_until(&finished, all, NULL);
    double start = stats_clock(), left;
    while ((left = left_of(seconds, start)) > 0) {
        struct timespec end = after(left);
        if (sleep_until(&finished, all, &end))
            return 1;
    }
    return reached(&finished, all);
}

void executor_watch(double seconds) {
    atomic_store(&watch, seconds);
}
