/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loops in several threads. Each thread takes the next indices that no other thread has taken. */
#include "examples/batch-gcd/util.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 16, MOST_THREADS = 256 };

unsigned util_threads;
bool util_shows_times;

struct loop {
    void (*work)(void *context, size_t i);
    void *context;
    size_t count, at_once;
    atomic_size_t next;
};

static void *member(void *argument) {
    struct loop *c = argument;
    size_t i;
    while ((i = atomic_fetch_add(&c->next, c->at_once)) < c->count)
        for (size_t k = i; k < i + c->at_once && k < c->count; k++)
            c->work(c->context, k);
    return NULL;
}

void util_parallel_for(void (*work)(void *context, size_t i), void *context, size_t count) {
    struct loop c = {.work = work, .context = context, .count = count, .at_once = 1};
    pthread_t thread[MOST_THREADS];
    unsigned begun = 0, threads = util_threads < MOST_THREADS ? util_threads : MOST_THREADS;
    if (count / threads > AT_ONCE * 4)
        c.at_once = AT_ONCE;
    while (begun + 1 < threads && begun + 1 < count &&
           pthread_create(&thread[begun], NULL, member, &c) == 0)
        begun++;
    member(&c);
    while (begun > 0)
        pthread_join(thread[--begun], NULL);
}

void util_die(const char *what, const char *why) {
    static pthread_mutex_t dying = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&dying); /* if several threads fail, only one prints its message */
    util_progress("");
    fprintf(stderr, "batch-gcd: %s: %s\n", what, why);
    exit(1);
}

void *util_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p)
        util_die("memory", "exhausted");
    return p;
}

mpz_t *util_numbers(size_t count) {
    mpz_t *x = util_alloc(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        mpz_init(x[i]);
    return x;
}

void util_free_numbers(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void util_time(const char *what) {
    static double first;
    if (!util_shows_times)
        return;
    first = first > 0 ? first : seconds();
    fprintf(stderr, "batch-gcd: %.4f s: %s\n", seconds() - first, what);
}

void util_progress(const char *what) {
    if (util_shows_times && *what)
        util_time(what);
    else if (!util_shows_times && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%-40s%s", what, *what ? "" : "\r");
}
