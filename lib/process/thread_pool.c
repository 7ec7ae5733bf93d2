/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A pool of threads that compute parts of a job. The pool has MOST places, each with at most one
 * thread. The state of a place changes as follows:
 * - NONE -> TAKEN: a caller takes the place and starts a thread for it. If that fails, the place
 *   becomes NONE again.
 * - FREE -> TAKEN: a caller takes the place and its thread, which sleeps.
 * - ENDING -> TAKEN: a caller takes the place before its thread ends.
 * - TAKEN -> POSTED: the caller gives the thread a part.
 * - POSTED -> RUNNING: the thread begins the part. The place stays RUNNING after the part has
 *   ended; `finished` counts ended parts.
 * - POSTED -> TAKEN: the caller takes the part back, and computes it itself.
 * - TAKEN or RUNNING -> FREE: the caller releases the place; ENDING instead of FREE if no device
 *   was opened.
 * - ENDING -> NONE: the thread ends.
 *
 * A caller never waits for a free place, only for running parts. So nested jobs and concurrent
 * callers do not block each other. */
#include "config.h"

#include "lib/process/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/at_fork.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/base/process.h"
#include "lib/base/started.h"
#include "lib/base/syscall_filter.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/process/surroundings.h"
#include "lib/process/worker.h"

enum {
    MOST = 128, /* the most threads, for all callers together */
    /* how long a thread spins before it sleeps; a product's next transfer usually begins within
     * this time */
    SPIN_NS = 500000,
    /* the least time that the caller spins until a running part ends: about the time to copy a
     * chunk */
    AWAIT_NS = 20000,
    /* more than thread_pool_width() threads compute a job only if each has at least this many bytes
     */
    THREAD_BYTES = 1 << 19,
    CACHE_LINE = 64
};

enum state { NONE, FREE, TAKEN, POSTED, RUNNING, ENDING };

/* A job that is being computed. It is on the calling thread's stack. */
struct task {
    void (*work)(void *job, unsigned i);
    void *job;
    pthread_t caller;
};

static LARGE_ZERO struct place {
    _Alignas(CACHE_LINE) atomic_int state;
    /* posted: the thread must check `state`; finished: the thread has ended a part */
    struct event posted, finished;
    const struct task *task;
    /* i: index of the part to compute; end: value of `finished` when that part has ended */
    unsigned i, end;
} places[MOST];

static atomic_uint working; /* places that callers have taken */

static bool change_place_state(struct place *p, int from, int to) {
    return atomic_load(&p->state) == from && atomic_compare_exchange_strong(&p->state, &from, to);
}

/* ---- functions that run in a pool thread */

/* Allows the calling pool thread to use the CPUs of the job's caller. The thread may have been
 * started for a caller with other CPUs. */
static void adopt_cpus_of_caller(pthread_t caller, cpu_set_t *mine) {
    cpu_set_t set;
    if (pthread_getaffinity_np(caller, sizeof set, &set) != 0 || CPU_EQUAL(&set, mine))
        return;
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    *mine = set;
}

static void run_part(struct place *p, cpu_set_t *cpus) {
    adopt_cpus_of_caller(p->task->caller, cpus);
    p->task->work(p->task->job, p->i);
    event_post(&p->finished);
}

static void thread_main(void *place) {
    struct place *p = place;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (;;) {
        unsigned next = event_count(&p->posted) + 1;
        struct backoff b = {.spin_ns = executor_spin_ns() < SPIN_NS ? executor_spin_ns() : SPIN_NS};
        if (change_place_state(p, ENDING, NONE))
            return;
        if (change_place_state(p, POSTED, RUNNING))
            run_part(p, &cpus);
        else
            backoff_wait(&b, &p->posted, next, EVENT_FOREVER);
    }
}

/* ---- functions that run in the thread of the job's caller */

/* Empties the pool. It runs in a child of fork, in which the pool's threads do not exist. */
static void empty_pool_after_fork(void) {
    memset(places, 0, sizeof places);
    atomic_store(&working, 0);
}

static void watch_forks(void) {
    at_fork(NULL, NULL, empty_pool_after_fork);
}

static bool start_pool_thread(struct place *p) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (worker_start(thread_main, p))
        return true;
    atomic_store(&p->state, NONE);
    return false;
}

/* Takes up to `wanted` places of the pool, each with a thread, and returns their count. If no
 * thread can be started, takes only places that already have one. */
static unsigned acquire_pool_places(struct place **taken, unsigned wanted) {
    unsigned count = 0;
    bool may_start = true;
    for (struct place *p = places; p < places + MOST && count < wanted; p++) {
        bool is_new = may_start && change_place_state(p, NONE, TAKEN);
        if (is_new)
            is_new = may_start = start_pool_thread(p);
        if (is_new || change_place_state(p, FREE, TAKEN) || change_place_state(p, ENDING, TAKEN))
            taken[count++] = p;
    }
    atomic_fetch_add(&working, count);
    return count;
}

static void post_part_to_thread(struct place *p, const struct task *task, unsigned i) {
    p->task = task;
    p->i = i;
    p->end = event_count(&p->finished) + 1;
    atomic_store(&p->state, POSTED);
    event_post(&p->posted);
}

static void await_pool_thread(struct place *p) {
    struct backoff b = {.spin_ns = executor_spin_ns() + AWAIT_NS};
    while (atomic_load(&p->state) == RUNNING &&
           !backoff_wait(&b, &p->finished, p->end, SIGNAL_GUARD_LONG_NS))
        signal_guard_let_pass();
}

/* Releases a place. If no device was opened, makes its thread end: otherwise this thread would keep
 * the process alive after the program's last thread has ended (lib/process/shutdown.c). */
static void release_pool_place(struct place *p) {
    atomic_fetch_sub(&working, 1);
    if (shutdown_is_prepared()) {
        atomic_store(&p->state, FREE);
        return;
    }
    atomic_store(&p->state, ENDING);
    event_post(&p->posted);
}

/* Computes a job: `threads` pool threads compute parts 1 to `threads`, the calling thread computes
 * all others. */
static void run_parts_in_pool(struct place **taken, unsigned threads, unsigned count,
                              const struct task *t) {
    for (unsigned k = 0; k < threads; k++)
        post_part_to_thread(taken[k], t, k + 1);
    t->work(t->job, 0);
    for (unsigned i = threads + 1; i < count; i++)
        t->work(t->job, i);
    for (unsigned k = 0; k < threads; k++)
        if (change_place_state(taken[k], POSTED, TAKEN))
            t->work(t->job, k + 1);
    for (unsigned k = 0; k < threads; k++)
        await_pool_thread(taken[k]);
}

/* Computes a job if at least `least` pool threads are available; otherwise returns false. Begins no
 * signal guard in an executor, because all signals are blocked there. */
static bool run_with(unsigned least, unsigned count, void (*work)(void *job, unsigned i),
                     void *job) {
    struct place *taken[THREAD_POOL_PARTS];
    const struct task task = {work, job, pthread_self()};
    const bool is_guarded = !executor_is_here();
    struct signal_guard guard;
    if (is_guarded)
        signal_guard_begin(&guard);
    unsigned threads = acquire_pool_places(taken, count - 1);
    if (threads >= least)
        run_parts_in_pool(taken, threads, count, &task);
    for (unsigned k = 0; k < threads; k++)
        release_pool_place(taken[k]);
    if (is_guarded)
        signal_guard_end(&guard);
    return threads >= least;
}

void thread_pool_run(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    if (count > 1)
        run_with(0, count, work, job);
    else
        work(job, 0);
}

/* Computes a job with a thread for each part. Returns false in a child made without fork (clone),
 * which lacks the threads of its pool. */
bool thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    return process_is_ours() && run_with(count - 1, count, work, job);
}

/* Returns the number of CPUs that the calling thread may use; 1 if it is unknown. */
static unsigned usable_cpus(void) {
    cpu_set_t set;
    /* the program's filter of system calls may forbid counting the CPUs */
    if (syscall_filter_is_expected())
        return 1;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

unsigned thread_pool_width(void) {
    const unsigned cpus = usable_cpus();
    return (unsigned)min_u64(cpus > 2 ? (cpus + 1) / 2 : cpus, THREAD_POOL_WIDTH);
}

unsigned thread_pool_widen(unsigned width, size_t bytes) {
    if (bytes / THREAD_BYTES <= width)
        return width;
    const unsigned cpus = usable_cpus(), others = atomic_load(&working);
    const unsigned most =
        (unsigned)min_u64(cpus > others + 1 ? cpus - others - 1 : 1, THREAD_POOL_PARTS);
    const unsigned wanted = (unsigned)min_u64(bytes / THREAD_BYTES, most);
    return wanted > width ? wanted : width;
}

/* ---- loops */

/* LOOP_BYTES: shorter loops run in the calling thread. RANGE_BYTES: about how many bytes one call
 * of `work` accesses. ROUND_RANGES: calls of `work` between two points at which signal handlers may
 * run; these calls take some milliseconds. */
enum { LOOP_BYTES = 1 << 20, RANGE_BYTES = 1 << 18, ROUND_RANGES = 128 };

struct loop {
    /* `range`: elements in each range; `end`: the element at which the current round ends */
    size_t range, end;
    void (*work)(void *context, size_t first, size_t end);
    void (*before)(void *context); /* NULL after its call */
    void *context;
    atomic_size_t next;
};

/* Calls l->before, unless this was done. Only the calling thread of the loop may do this. */
static void begin_in_caller(struct loop *l) {
    if (l->before)
        l->before(l->context);
    l->before = NULL;
}

static void take_ranges(void *job, unsigned part) {
    struct loop *l = job;
    size_t first;
    if (part == 0)
        begin_in_caller(l);
    while ((first = atomic_fetch_add(&l->next, l->range)) < l->end)
        l->work(l->context, first, min_u64(first + l->range, l->end));
}

void thread_pool_loop_beside(size_t count, size_t bytes,
                             void (*work)(void *context, size_t first, size_t end),
                             void (*before)(void *context), void *context) {
    struct loop l = {.work = work, .before = before, .context = context};
    if (bytes < LOOP_BYTES || surroundings_handle_faults()) {
        begin_in_caller(&l);
        work(context, 0, count);
        return;
    }
    l.range = ceil_div(count, ceil_div(bytes, RANGE_BYTES) + 1);
    for (size_t begin = 0; begin < count; begin = l.end) {
        l.end = min_u64(begin + l.range * ROUND_RANGES, count);
        atomic_store(&l.next, begin);
        thread_pool_run(thread_pool_widen(thread_pool_width(), bytes), take_ranges, &l);
    }
}

void thread_pool_loop(size_t count, size_t bytes,
                      void (*work)(void *context, size_t first, size_t end), void *context) {
    thread_pool_loop_beside(count, bytes, work, NULL, context);
}
