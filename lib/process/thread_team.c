/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A team: threads that help a job's thread with short parts. Each helper has a seat (its entry in
 * the team) on a cache line of its own. The state of a seat changes as follows:
 * - ABSENT -> IDLE: the helper has begun.
 * - IDLE -> POSTED: the job's thread has assigned parts of a list to the helper.
 * - POSTED -> RUNNING -> DONE: the helper computes the parts.
 * - POSTED -> IDLE: the job's thread takes the parts back, because the helper has not begun.
 * - DONE -> IDLE: the job's thread has seen that the parts are computed.
 * - IDLE or ABSENT -> ENDED: the job has ended; the helper returns to the pool. */
#include "config.h"

#include "lib/process/thread_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#include "gpu/gpu.h"
#include "lib/base/at_fork.h"
#include "lib/base/syscall_filter.h"
#include "lib/process/event.h"
#include "lib/process/executor.h"
#include "lib/process/thread_pool.h"

/* LOOKS: the number of reads of a seat's state after which a waiting helper yields its CPU before
 * each further read. LATE_LOOKS: the number of reads of a helper's state after which the job's
 * thread considers the helper late, and measures the time that is lost. LOSS: after a helper was
 * late, no team has helpers for LOSS times the lost time. MOST_LOSS: the longest lost time that
 * counts, in nanoseconds. */
enum { LOOKS = 4000, LATE_LOOKS = 1000, LOSS = 100, MOST_LOSS = 100000000, CACHE_LINE = 64 };

enum state { ABSENT, IDLE, POSTED, RUNNING, DONE, ENDED };

struct seat {
    _Alignas(CACHE_LINE) atomic_int state;
    uint16_t parts; /* if bit i is set, this thread computes part i */
};

struct team {
    struct seat
        seats[THREAD_POOL_WIDTH]; /* seat 0 belongs to the job's thread, which uses only `parts` */
    unsigned width;
    void (*part)(void *of, unsigned i);
    void *of;
    void (*work)(void *job);
    void *job;
};

_Static_assert(THREAD_TEAM_PARTS <= 16, "a bit for each part");

static THREAD_MEMORY struct team *here;

/* busy: count of the threads of all teams with helpers; pause_end: the time before which no team
 * has helpers */
static atomic_uint busy;
static _Atomic int64_t pause_end;

static void pause_or_yield(unsigned *looks, unsigned most) {
    if (++*looks > most && !syscall_filter_is_expected())
        sched_yield();
#if defined __x86_64__ || defined __i386__
    else
        __builtin_ia32_pause();
#endif
}

static void run_parts(const struct team *c, const struct seat *s) {
    for (unsigned parts = s->parts; parts != 0; parts &= parts - 1)
        c->part(c->of, (unsigned)__builtin_ctz(parts));
}

static bool change_seat_state(struct seat *s, int from, int to) {
    return atomic_load_explicit(&s->state, memory_order_relaxed) == from &&
           atomic_compare_exchange_strong(&s->state, &from, to);
}

static void run_helper_of_team(const struct team *c, struct seat *s) {
    unsigned looks = 0;
    change_seat_state(s, ABSENT, IDLE);
    for (;;) {
        int state = atomic_load_explicit(&s->state, memory_order_acquire);
        if (state == ENDED)
            return;
        if (state == POSTED && change_seat_state(s, POSTED, RUNNING)) {
            run_parts(c, s);
            atomic_store_explicit(&s->state, DONE, memory_order_release);
            looks = 0;
        }
        pause_or_yield(&looks, LOOKS);
    }
}

/* Part 0 runs the job; all other parts are helpers. A helper that begins after the job's end
 * returns at once. Part 0 itself ends the team, because a signal handler that runs afterwards may
 * fork or never return. */
static void take_part(void *team, unsigned i) {
    struct team *c = team;
    if (i > 0) {
        run_helper_of_team(c, &c->seats[i]);
        return;
    }
    /* not NULL, because thread_team_run has allocated the thread's variable */
    struct team **own = THREAD_MEMORY_GET(here);
    *own = c;
    c->work(c->job);
    *own = NULL;
    for (unsigned k = 1; k < c->width; k++)
        atomic_store_explicit(&c->seats[k].state, ENDED, memory_order_release);
    atomic_fetch_sub(&busy, c->width);
}

/* Returns true if the calling thread has a real-time policy. While such a thread spins, a helper on
 * the same CPU could never run. */
static bool is_real_time(void) {
    const int policy = sched_getscheduler(0);
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

static unsigned cpus(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* Returns how many threads a team can have if `others` threads are in other teams: 1 means no
 * helpers. Returns 1 if the program filters system calls, because counting CPUs and waking threads
 * needs such calls. */
static unsigned width_beside(unsigned others) {
    if (executor_spin_ns() == 0 || syscall_filter_is_expected() ||
        event_clock() < atomic_load(&pause_end) || is_real_time())
        return 1;
    const unsigned all = cpus(), most = thread_pool_width();
    if (others >= all)
        return 1;
    return all - others < most ? all - others : most;
}

unsigned thread_team_expect(void) {
    return width_beside(atomic_load(&busy));
}

/* Runs in a child of fork, where the threads of other teams do not exist. */
static void forget_threads(void) {
    atomic_store(&busy, 0);
}

static void watch_forks(void) {
    at_fork(NULL, NULL, forget_threads);
}

void thread_team_run(void (*work)(void *job), void *job) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct team c = {.work = work, .job = job};
    struct team **own = THREAD_MEMORY_GET(here);
    if (!own || *own) {
        work(job);
        return;
    }
    pthread_once(&once, watch_forks);
    c.width = width_beside(atomic_fetch_add(&busy, 1));
    if (c.width > 1) {
        atomic_fetch_add(&busy, c.width - 1);
        thread_pool_run(c.width, take_part, &c);
    } else {
        atomic_fetch_sub(&busy, 1);
        work(job);
    }
}

unsigned thread_team_width(void) {
    struct team *const *own = THREAD_MEMORY_FIND(here);
    return own && *own ? (*own)->width : 1;
}

/* Lists the seats of the job's thread and of the helpers that wait for parts. Returns their
 * number. */
static unsigned list_seats(struct team *c, struct seat **seat) {
    unsigned count = 1;
    seat[0] = &c->seats[0];
    for (unsigned k = 1; k < c->width; k++)
        if (atomic_load_explicit(&c->seats[k].state, memory_order_relaxed) == IDLE)
            seat[count++] = &c->seats[k];
    for (unsigned k = 0; k < count; k++)
        seat[k]->parts = 0;
    return count;
}

/* Assigns each part to the thread that has the least to do. */
static void assign_parts_to_seats(struct seat **seat, unsigned seats, unsigned count,
                                  const uint64_t *cost) {
    uint64_t load[THREAD_POOL_WIDTH] = {0};
    for (unsigned i = 0; i < count; i++) {
        unsigned least = 0;
        for (unsigned k = 1; k < seats; k++)
            least = load[k] < load[least] ? k : least;
        load[least] += cost[i];
        seat[least]->parts |= (uint16_t)(1u << i);
    }
}

/* Waits until the helper has computed its parts. If the helper has not begun them, computes them in
 * this thread. */
static void await_helper_parts(struct team *c, struct seat *s) {
    unsigned looks = 0;
    int64_t since = 0;
    if (change_seat_state(s, POSTED, IDLE)) {
        run_parts(c, s);
        return;
    }
    while (atomic_load_explicit(&s->state, memory_order_acquire) != DONE) {
        if (looks == LATE_LOOKS)
            since = event_clock();
        pause_or_yield(&looks, LATE_LOOKS);
    }
    atomic_store_explicit(&s->state, IDLE, memory_order_relaxed);
    if (since) {
        int64_t now = event_clock(), loss = now - since;
        atomic_store(&pause_end, now + LOSS * (loss < MOST_LOSS ? loss : MOST_LOSS));
    }
}

void thread_team_share(unsigned count, const uint64_t *cost, void (*part)(void *of, unsigned i),
                       void *of) {
    struct team *c = *THREAD_MEMORY_FIND(here);
    struct seat *seat[THREAD_POOL_WIDTH];
    const unsigned seats = list_seats(c, seat);
    c->part = part;
    c->of = of;
    assign_parts_to_seats(seat, seats, count, cost);
    for (unsigned k = 1; k < seats; k++)
        if (seat[k]->parts)
            atomic_store_explicit(&seat[k]->state, POSTED, memory_order_release);
    run_parts(c, seat[0]);
    for (unsigned k = 1; k < seats; k++)
        if (seat[k]->parts)
            await_helper_parts(c, seat[k]);
}
