/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool of copying threads. */
#include "config.h"

#include "copier.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "worker.h"

struct copier {
    pthread_mutex_t mutex;
    pthread_cond_t come, gone;
    pthread_t thread[COPIER_MOST];
    int wanted;  /* threads, the caller's included */
    int started; /* of our own, those that could be made */
    int numbered;
    int closing;
    unsigned run;                        /* counts the runs; a thread takes part once in each */
    void (*work)(void *job, int worker); /* NULL: nobody may come in any more */
    void *job;
    int active; /* threads of ours inside work */
};

/* The CPUs that this process may use. */
static int cpus(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > COPIER_MOST ? COPIER_MOST : count;
}

struct copier *copier_open(void) {
    struct copier *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->come, NULL);
    pthread_cond_init(&c->gone, NULL);
    c->wanted = cpus();
    return c;
}

int copier_threads(const struct copier *c) {
    return c->wanted;
}

static void thread_main(void *context) {
    struct copier *c = context;
    unsigned last = 0;
    pthread_mutex_lock(&c->mutex);
    int worker = ++c->numbered;
    while (!c->closing) {
        if (!c->work || c->run == last) {
            pthread_cond_wait(&c->come, &c->mutex);
            continue;
        }
        void (*work)(void *, int) = c->work;
        void *job = c->job;
        last = c->run;
        c->active++;
        pthread_mutex_unlock(&c->mutex);
        work(job, worker);
        pthread_mutex_lock(&c->mutex);
        if (--c->active == 0)
            pthread_cond_signal(&c->gone);
    }
    pthread_mutex_unlock(&c->mutex);
}

/* Make the threads; fewer if the system has no more. */
static void start_threads(struct copier *c) {
    while (c->started < c->wanted - 1 && worker_thread(&c->thread[c->started], thread_main, c))
        c->started++;
    c->wanted = c->started + 1;
}

void copier_close(struct copier *c) {
    pthread_mutex_lock(&c->mutex);
    c->closing = 1;
    pthread_cond_broadcast(&c->come);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 0; i < c->started; i++)
        pthread_join(c->thread[i], NULL);
    pthread_cond_destroy(&c->come);
    pthread_cond_destroy(&c->gone);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

void copier_run(struct copier *c, void (*work)(void *job, int worker), void *job) {
    if (c->started < c->wanted - 1)
        start_threads(c);
    pthread_mutex_lock(&c->mutex);
    c->work = work;
    c->job = job;
    c->run++;
    pthread_cond_broadcast(&c->come);
    pthread_mutex_unlock(&c->mutex);
    work(job, 0);
    pthread_mutex_lock(&c->mutex);
    c->work = NULL;
    while (c->active > 0)
        pthread_cond_wait(&c->gone, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
}
