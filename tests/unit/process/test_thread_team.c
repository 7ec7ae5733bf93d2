/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests thread teams: lists of short parts that a thread and helper threads compute. Each part of
 * each list must run once, before thread_team_share returns. Tests teams with helpers, with helpers
 * that begin too late, several teams at the same time, and teams without a device. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "lib/process/thread_team.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "lib/process/thread_pool.h"
#include "tests/support/testing.h"

enum { LISTS = 2000, TEAMS = 40, THREADS = 6, TRIES = 20000, LATE = 3 };

static bool acquire(int seconds) {
    return seconds >= 0;
}

static void release(void) {
}

static bool is_inside(void) {
    return false;
}

static void renew(bool was_acquired) {
    ck_assert(was_acquired);
}

/* Makes pool threads spin between jobs, as in a process whose device does not compute on the
 * CPU. */
static void open_device(void) {
    shutdown_prepare(acquire, release, is_inside, renew);
    executor_set_spin(0, 200e-6);
}

struct list {
    unsigned count;
    atomic_uint calls[THREAD_TEAM_PARTS];
    pthread_t caller;
};

static atomic_uint helped; /* calls in helpers */

static void count_call(void *of, unsigned i) {
    struct list *l = of;
    const bool is_helper = !pthread_equal(pthread_self(), l->caller);
    volatile unsigned long sum = i;
    for (unsigned k = 0; k < 2000; k++)
        sum = sum * 3 + k;
    if (is_helper && atomic_load(&helped) < LATE)
        usleep(2000); /* delays the helper, so that the caller must wait for it */
    atomic_fetch_add(&l->calls[i], 1);
    atomic_fetch_add(&helped, is_helper);
}

static void share(unsigned count, unsigned seed) {
    struct list l = {.count = count, .caller = pthread_self()};
    uint64_t cost[THREAD_TEAM_PARTS];
    for (unsigned i = 0; i < count; i++)
        cost[i] = 1 + (seed + i) * 7919 % 11;
    thread_team_share(count, cost, count_call, &l);
    for (unsigned i = 0; i < THREAD_TEAM_PARTS; i++)
        ck_assert_uint_eq(atomic_load(&l.calls[i]), i < count);
}

static void inner(void *calls) {
    ++*(int *)calls;
}

/* The work of a team: runs `lists` lists of parts if the team has helpers. A team that is started
 * inside it must have no helpers. */
static void share_lists(void *lists) {
    const unsigned width = thread_team_width();
    int calls = 0;
    for (unsigned i = 0; i < *(const unsigned *)lists && width > 1; i++)
        share(1 + i % THREAD_TEAM_PARTS, i);
    thread_team_run(inner, &calls);
    ck_assert_int_eq(calls, 1);
    ck_assert_uint_eq(thread_team_width(), width);
}

START_TEST(test_parts) {
    unsigned lists = LISTS;
    open_device();
    if (thread_pool_width() == 1) {
        testing_skip("one CPU");
        return;
    }
    ck_assert_uint_gt(thread_team_expect(), 1);
    for (int i = 0; i < TRIES && atomic_load(&helped) <= LATE; i++) {
        thread_team_run(share_lists, &lists);
        usleep(1000); /* after a helper that was late, teams have no helpers for some time */
    }
    ck_assert_uint_gt(atomic_load(&helped), LATE);
    ck_assert_uint_eq(thread_team_width(), 1);
}
END_TEST

/* Tests teams with so little work that most of them end before a helper begins. */
START_TEST(test_short) {
    unsigned lists = 1;
    open_device();
    for (int i = 0; i < TEAMS; i++)
        thread_team_run(share_lists, &lists);
}
END_TEST

static void *many_teams(void *unused) {
    unsigned lists = 20;
    for (int i = 0; i < TEAMS; i++)
        thread_team_run(share_lists, &lists);
    return unused;
}

static void get_width(void *width) {
    *(unsigned *)width = thread_team_width();
}

/* Several threads run teams at the same time. Afterwards a team must have the same number of
 * threads as before. */
START_TEST(test_threads) {
    pthread_t t[THREADS];
    unsigned width = 0;
    open_device();
    const unsigned before = thread_team_expect();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, many_teams, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < TRIES && width != before; i++) {
        thread_team_run(get_width, &width);
        usleep(1000); /* after a helper that was late, teams have no helpers for some time */
    }
    ck_assert_uint_eq(width, before);
}
END_TEST

/* The running team and a second team with helpers, if one began now, must together have at most one
 * thread for each CPU of the process. */
static void expect_another(void *unused) {
    cpu_set_t set;
    (void)unused;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    unsigned all = (unsigned)CPU_COUNT(&set), width = thread_team_width(),
             next = thread_team_expect();
    ck_assert_uint_le(width, thread_pool_width());
    ck_assert(next == 1 || width + next <= all);
}

START_TEST(test_most) {
    open_device();
    thread_team_run(expect_another, NULL);
}
END_TEST

static sigjmp_buf outside;

static void leave(int unused) {
    (void)unused;
    siglongjmp(outside, 1);
}

static void interrupt(void *unused) {
    (void)unused;
    raise(SIGUSR1);
}

/* A signal handler leaves thread_team_run by longjmp. Then the threads of that team must not be
 * counted any more: a later team must have the same number of helpers as before. */
START_TEST(test_leaving) {
    open_device();
    const unsigned before = thread_team_expect();
    signal(SIGUSR1, leave);
    for (volatile int i = 0; i < TEAMS; i++)
        if (sigsetjmp(outside, 1) == 0)
            thread_team_run(interrupt, NULL);
    ck_assert_uint_eq(thread_team_expect(), before);
    ck_assert_uint_eq(thread_team_width(), 1);
}
END_TEST

/* A thread with a real-time scheduling policy must have no helpers. The test is skipped if the
 * process has no permission for such a policy. */
START_TEST(test_real_time) {
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    open_device();
    if (sched_setscheduler(0, SCHED_FIFO, &lowest) != 0) {
        testing_skip("SCHED_FIFO is not permitted");
        return;
    }
    ck_assert_uint_eq(thread_team_expect(), 1);
}
END_TEST

START_TEST(test_no_device) {
    ck_assert_uint_eq(thread_team_expect(), 1);
    unsigned lists = LISTS;
    thread_team_run(share_lists, &lists);
    ck_assert_uint_eq(atomic_load(&helped), 0);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("team", 120,
                        TESTS(ONCE(test_parts), ONCE(test_short), ONCE(test_threads),
                              ONCE(test_most), ONCE(test_leaving), ONCE(test_real_time),
                              ONCE(test_no_device)));
}
