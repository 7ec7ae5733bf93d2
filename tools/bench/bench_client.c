/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A client process of the mode threads: its threads repeat one call, in rounds.  A thread continues
 * after its own round until the rounds of all threads in all clients are over, so that every rate
 * is measured while all threads work. */
#include "config.h"

#include "tools/bench/bench_threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/base/stats.h"
#include "tools/work.h"

struct member {
    pthread_t thread;
    struct work work;
    uint64_t first, last; /* hashes of the result before and after the rounds */
    double rate;
    long runs;
};

static struct bench_shared *shared;
static struct member members[BENCH_MOST_MEMBERS];
static pthread_barrier_t barrier; /* synchronises the threads of this client with its main thread */
/* whether all rounds of the current measurement are over; threads read it after the barrier */
static bool is_over;

/* Measures the rate of one thread in a round of at least one run.  The clock is read after each
 * `stride` runs; `stride` doubles until these take at least 20 us together. */
static void measure(struct member *m) {
    static const double LEAST = 20e-6;
    double begin = stats_clock(), last = begin, now = begin;
    long runs = 0, stride = 1;
    do {
        for (long i = 0; i < stride; i++)
            m->work.operation->run(&m->work);
        runs += stride;
        now = stats_clock();
        stride *= now - last < LEAST ? 2 : 1;
        last = now;
    } while (now - begin < shared->seconds || now <= begin);
    m->rate = (double)runs / (now - begin);
    m->runs = runs;
}

static void *work(void *argument) {
    struct member *m = argument;
    struct work *w = &m->work;
    w->operation->prepare(w);
    w->operation->run(w);
    m->first = work_hash(w);
    for (pthread_barrier_wait(&barrier);; pthread_barrier_wait(&barrier)) {
        pthread_barrier_wait(&barrier);
        if (is_over)
            break;
        pthread_barrier_wait(&shared->start);
        measure(m);
        atomic_fetch_add(&shared->finished, 1);
        while (atomic_load(&shared->finished) < shared->members)
            w->operation->run(w);
    }
    m->last = work_hash(w);
    work_close(w);
    return NULL;
}

/* Prepares operands and threads for a measurement.  Clients with and without the library have the
 * same operands, because the seeds depend only on the client's and the thread's number. */
static char order(int client) {
    const struct bench_order *o = &shared->order;
    is_over = false;
    pthread_barrier_init(&barrier, NULL, (unsigned)o->threads + 1);
    for (int i = 0; i < o->threads; i++) {
        struct member *m = &members[i];
        size_t limbs = (size_t)((o->bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
        if (!work_open(&m->work, &work_operations[o->operation], limbs)) {
            fprintf(stderr, "mpgpu-bench: no memory for operands of %zu limbs\n", limbs);
            return BENCH_FAILED_TO; /* the process that reads this answer then kills this client */
        }
        m->work.ratio = o->ratio;
        m->work.seed = (uint64_t)(client * BENCH_MOST_MEMBERS + i + 1);
        if (pthread_create(&m->thread, NULL, work, m) != 0) {
            perror("mpgpu-bench: no thread");
            return BENCH_FAILED_TO;
        }
    }
    pthread_barrier_wait(&barrier);
    return BENCH_DONE;
}

static char one_round(struct bench_share *share) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    share->rate = 0;
    share->runs = 0;
    for (int i = 0; i < shared->order.threads; i++) {
        share->rate += members[i].rate;
        share->runs += members[i].runs;
    }
    return BENCH_DONE;
}

static char end(struct bench_share *share) {
    share->hash = 0;
    share->has_moved = false;
    is_over = true;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < shared->order.threads; i++) {
        pthread_join(members[i].thread, NULL);
        share->hash = share->hash * 3 + members[i].last;
        share->has_moved |= members[i].first != members[i].last;
    }
    pthread_barrier_destroy(&barrier);
    return BENCH_DONE;
}

/* Returns who computes the operations in this process: GMP alone, or the library with or without a
 * device.  Waits until the library has opened its device. */
static char who(void) {
    int (*wait)(void);
    void *address = dlsym(RTLD_DEFAULT, "mpgpu_wait");
    memcpy(&wait, &address, sizeof wait);
    return !address ? BENCH_GMP_ALONE : wait() ? BENCH_WITH_DEVICE : BENCH_NO_DEVICE;
}

/* Makes Linux kill this process when its parent ends, because a process that waits in a barrier
 * would not notice.  Child processes do not inherit the socket, so the parent sees this process's
 * end. */
static void tie_to_controller(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(BENCH_CLIENT_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(BENCH_CLIENT_MEMORY, F_SETFD, FD_CLOEXEC);
}

int bench_client_main(char **argv) {
    int number = atoi(argv[2]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, BENCH_CLIENT_MEMORY, 0);
    if (shared == MAP_FAILED || number < 0 || number >= BENCH_MOST_CLIENTS) {
        fprintf(stderr, "mpgpu-bench: %s is mpgpu-bench's own\n", BENCH_CLIENT_WORD);
        return 2;
    }
    tie_to_controller();
    struct bench_share *share = &shared->share[number];
    char answer = who(), command;
    while (write(BENCH_CLIENT_SOCKET, &answer, 1) == 1 &&
           read(BENCH_CLIENT_SOCKET, &command, 1) == 1)
        answer = command == BENCH_ORDER   ? order(number)
                 : command == BENCH_ROUND ? one_round(share)
                                          : end(share);
    return 0;
}
