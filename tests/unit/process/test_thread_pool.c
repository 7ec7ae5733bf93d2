/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the thread pool: each part of a job runs once, parts run at the same time, also with
 * several callers and with jobs inside parts. Also tests signals, CPUs, fork, and threads that
 * cannot be started. */
#include "config.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/process.h"
#include "lib/base/stats.h"
#include "lib/process/event.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "lib/process/thread_pool.h"
#include "lib/process/worker.h"
#include "tests/support/testing.h"

enum { PARTS = THREAD_POOL_PARTS, SECOND = 1000000000 };

/* ---- functions of a process with a device; if they are registered, pool threads wait for the next
 * job instead of ending */

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

/* Case 0 (no device): pool threads end after their part. Case 1: they sleep until the next job.
 * Case 2: they spin before they sleep. */
enum { CASES = 3 };

static void setup(int i) {
    if (i > 0)
        shutdown_prepare(acquire, release, is_inside, renew);
    if (i > 1)
        executor_set_spin(0, 200e-6);
}

/* ---- replaces worker_start, which counts threads or starts none */

static atomic_bool has_no_threads;
static atomic_int started;

bool __real_worker_start(void (*function)(void *), void *argument);
bool __wrap_worker_start(void (*function)(void *), void *argument);

bool __wrap_worker_start(void (*function)(void *), void *argument) {
    bool is_started = !atomic_load(&has_no_threads) && __real_worker_start(function, argument);
    atomic_fetch_add(&started, is_started);
    return is_started;
}

/* ---- replaces sched_getaffinity, so that the calling thread may use `cpus` CPUs, unless that is
 * 0 */

static int cpus;

int __real_sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set);

int __wrap_sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set) {
    if (cpus == 0)
        return __real_sched_getaffinity(thread, size, set);
    CPU_ZERO(set);
    for (int i = 0; i < cpus; i++)
        CPU_SET((unsigned)i, set);
    return 0;
}

/* ---- each part must run exactly once */

struct counting {
    atomic_int calls[PARTS], others; /* others: calls in pool threads, not in the calling thread */
    pthread_t caller;
};

static void count_call(void *job, unsigned i) {
    struct counting *c = job;
    bool is_caller = pthread_equal(pthread_self(), c->caller);
    ck_assert(is_caller || i > 0);
    ck_assert(is_caller || worker_is_here());
    atomic_fetch_add(&c->calls[i], 1);
    atomic_fetch_add(&c->others, !is_caller);
}

static int count_calls(unsigned count, bool at_once) {
    struct counting c = {.caller = pthread_self()};
    if (at_once)
        ck_assert(thread_pool_try(count, count_call, &c));
    else
        thread_pool_run(count, count_call, &c);
    for (unsigned i = 0; i < PARTS; i++)
        ck_assert_int_eq(atomic_load(&c.calls[i]), i < count);
    return atomic_load(&c.others);
}

START_TEST(each_part_once) {
    setup(_i);
    for (unsigned k = 0; k < (_i > 0 ? 20000 : 1000); k++)
        count_calls(1 + k % PARTS, k % 3 == 0);
    ck_assert_int_eq(count_calls(1, true), 0);
    if (_i > 0) /* with a device, pool threads must be reused for later jobs */
        ck_assert_int_lt(atomic_load(&started), PARTS);
}
END_TEST

START_TEST(no_thread) {
    struct counting c = {.caller = pthread_self()};
    setup(_i);
    atomic_store(&has_no_threads, true);
    ck_assert_int_eq(count_calls(PARTS, false), 0);
    ck_assert(!thread_pool_try(2, count_call, &c));
    ck_assert_int_eq(atomic_load(&c.calls[0]), 0);
    atomic_store(&has_no_threads, false);
    count_calls(2, true);
    /* one pool thread may exist already, which can run one part */
    atomic_store(&has_no_threads, true);
    count_calls(PARTS, false);
    ck_assert(!thread_pool_try(3, count_call, &c));
}
END_TEST

/* ---- parts that must run at the same time */

struct meeting {
    struct event here;
    unsigned count;
    atomic_int met;
};

static void meet(void *job, unsigned i) {
    struct meeting *m = job;
    (void)i;
    event_post(&m->here);
    atomic_fetch_add(&m->met, event_sleep(&m->here, m->count, 60 * (int64_t)SECOND));
}

static void meet_all(unsigned count) {
    struct meeting m = {.count = count};
    ck_assert(thread_pool_try(count, meet, &m));
    ck_assert_uint_eq((unsigned)atomic_load(&m.met), count);
}

START_TEST(parts_meet) {
    setup(_i);
    for (unsigned k = 0; k < (_i > 0 ? 2000 : 200); k++)
        meet_all(2 + k % (PARTS - 1));
}
END_TEST

/* ---- several callers, and jobs that parts start */

static void meet_inside(void *unused, unsigned i) {
    (void)unused;
    meet_all(2 + i);
    count_calls(4, false);
}

static void *call_often(void *unused) {
    for (int k = 0; k < 100; k++)
        thread_pool_run(3, meet_inside, NULL);
    return unused;
}

START_TEST(many_callers) {
    enum { CALLERS = 6 };
    pthread_t thread[CALLERS];
    setup(_i);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
}
END_TEST

/* A job whose parts start further jobs, so that there are more callers than threads. No caller may
 * wait for another one. */
struct deep {
    unsigned depth;
    atomic_uint *calls;
};

static void go_deeper(void *job, unsigned i) {
    const struct deep *d = job;
    struct deep next = {d->depth - 1, d->calls};
    (void)i;
    atomic_fetch_add(d->calls, 1);
    if (d->depth > 0)
        thread_pool_run(5, go_deeper, &next);
}

START_TEST(no_place_left) {
    enum { DEPTH = 5, ALL = 1 + 5 + 25 + 125 + 625 + 3125 };
    atomic_uint calls = 0;
    struct deep d = {DEPTH, &calls};
    setup(_i);
    go_deeper(&d, 0);
    ck_assert_uint_eq(atomic_load(&calls), ALL);
}
END_TEST

/* ---- fork */

static void *call_until(void *end) {
    while (!atomic_load((atomic_bool *)end))
        count_calls(PARTS, false);
    return NULL;
}

static void fork_once(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        atomic_store(&started, 0);
        meet_all(5);
        _exit(atomic_load(&started) == 4 ? 3 : 1); /* its own */
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    meet_all(5);
}

/* Forks while another thread of the parent runs jobs. The child must start pool threads of its
 * own. */
START_TEST(child_has_its_own) {
    atomic_bool end = false;
    pthread_t thread;
    setup(_i);
    meet_all(5);
    ck_assert_int_eq(pthread_create(&thread, NULL, call_until, &end), 0);
    for (int k = 0; k < 50; k++)
        fork_once();
    atomic_store(&end, true);
    pthread_join(thread, NULL);
}
END_TEST

/* ---- pool threads between two jobs */

static bool is_ours(const char *tid) {
    char path[300], name[32];
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", tid);
    if (!process_text(path, name, sizeof name))
        return false;
    name[strcspn(name, "\n")] = 0;
    return strcmp(name, WORKER_NAME) == 0;
}

static int count_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += is_ours(entry->d_name);
    closedir(tasks);
    return count;
}

/* Waits until two successive counts find no pool thread. One count is not enough: while threads
 * end, the list of threads may be incomplete. */
static bool have_threads_ended(void) {
    const double begin = stats_clock();
    for (int zeros = 0; zeros < 2; zeros = count_threads() == 0 ? zeros + 1 : 0) {
        if (stats_clock() - begin > 60)
            return false;
        usleep(1000);
    }
    return true;
}

/* Without a device, pool threads must end soon after their last part. With a device they must
 * remain. */
START_TEST(threads_end) {
    meet_all(PARTS);
    ck_assert(have_threads_ended());
    setup(1);
    meet_all(PARTS);
    usleep(20000);
    ck_assert_int_eq(count_threads(), PARTS - 1);
}
END_TEST

/* ---- the conditions in which a part runs */

static atomic_int handled;

static void handle(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

/* Sends a signal to the process while parts run. Pool threads and the caller must block the signal,
 * so that its handler runs only after the job. */
static void raise_signal(void *job, unsigned i) {
    sigset_t blocked;
    meet(job, i);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    ck_assert_int_eq(sigismember(&blocked, SIGUSR1), 1);
    if (i > 0)
        kill(getpid(), SIGUSR1);
    usleep(1000);
    ck_assert_int_eq(atomic_load(&handled), 0);
}

START_TEST(signals_wait) {
    struct meeting m = {.count = 2};
    setup(_i);
    signal(SIGUSR1, handle);
    ck_assert(thread_pool_try(2, raise_signal, &m));
    ck_assert_int_eq(atomic_load(&handled), 1);
}
END_TEST

struct placing {
    struct meeting meeting;
    cpu_set_t set;
};

static void compare_cpus(void *job, unsigned i) {
    struct placing *p = job;
    cpu_set_t set;
    meet(&p->meeting, i);
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    ck_assert(CPU_EQUAL(&set, &p->set));
}

static void try_on(const cpu_set_t *set) {
    struct placing p = {.meeting.count = 4, .set = *set};
    ck_assert_int_eq(sched_setaffinity(0, sizeof *set, set), 0);
    ck_assert(thread_pool_try(4, compare_cpus, &p));
}

/* A pool thread must run on the CPUs that the thread which called it may use. */
START_TEST(cpus_are_the_callers) {
    cpu_set_t all, one;
    setup(_i);
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (!CPU_ISSET(cpu, &all))
            continue;
        try_on(&one);
        ck_assert_uint_eq(thread_pool_width(), 1);
        try_on(&all);
    }
    unsigned count = (unsigned)CPU_COUNT(&all), half = count > 2 ? (count + 1) / 2 : count;
    ck_assert_uint_eq(thread_pool_width(), half < THREAD_POOL_WIDTH ? half : THREAD_POOL_WIDTH);
}
END_TEST

/* ---- loops */

enum { MOST = 100000 };

struct covering {
    unsigned char covered[MOST];
    pthread_t caller;
    atomic_int others, before;
};

/* Must be called once, in the calling thread. */
static void count_before(void *context) {
    struct covering *c = context;
    ck_assert(pthread_equal(pthread_self(), c->caller));
    ck_assert_int_eq(atomic_fetch_add(&c->before, 1), 0);
}

static void cover(void *context, size_t first, size_t end) {
    struct covering *c = context;
    atomic_fetch_add(&c->others, !pthread_equal(pthread_self(), c->caller));
    ck_assert_uint_lt(first, end);
    for (size_t i = first; i < end; i++)
        c->covered[i]++;
}

static int cover_all(size_t count, size_t bytes) {
    static struct covering c;
    memset(&c, 0, sizeof c);
    c.caller = pthread_self();
    thread_pool_loop(count, bytes, cover, &c);
    thread_pool_loop_beside(count, bytes, cover, count_before, &c);
    ck_assert_int_eq(atomic_load(&c.before), 1);
    for (size_t i = 0; i < MOST; i++)
        ck_assert_msg(c.covered[i] == 2 * (i < count), "%zu of %zu", i, count);
    return atomic_load(&c.others);
}

START_TEST(loops) {
    static const size_t counts[] = {1, 2, 127, 128, 129, 4095, MOST};
    setup(_i);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (size_t bytes = 1 << 19; bytes <= (size_t)1 << 32; bytes *= 2)
            cover_all(counts[k], bytes + k);
    ck_assert_int_eq(cover_all(MOST, (1 << 20) - 1), 0);
    signal(SIGSEGV, handle);
    ck_assert_int_eq(cover_all(MOST, (size_t)1 << 30), 0);
}
END_TEST

enum { MIB = 1 << 20 };

static void check_width(int with_cpus, size_t bytes, unsigned width) {
    cpus = with_cpus;
    const unsigned got = thread_pool_widen(thread_pool_width(), bytes);
    ck_assert_msg(got == width, "%d CPUs, %zu bytes: %u threads, not %u", cpus, bytes, got, width);
}

/* Part 0 of five: the other four parts have pool threads, which wait until it has ended. */
static void check_width_during_job(void *meeting, unsigned i) {
    atomic_int *ended = meeting;
    if (i == 0) {
        check_width(16, 32 * MIB, 11);
        check_width(16, 5 * MIB, 10);
        check_width(16, 4 * MIB, 8);
        check_width(8, 32 * MIB, 4);
    }
    atomic_fetch_add(ended, i == 0);
    while (atomic_load(ended) == 0)
        sched_yield();
}

/* The width for few bytes is thread_pool_width's; for many it is one less than the CPUs, less those
 * of other callers' pool threads. */
START_TEST(width_grows_with_bytes) {
    static const unsigned half[] = {1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8};
    setup(_i);
    for (int c = 1; c <= 18; c++) {
        const unsigned most = c > 17 ? THREAD_POOL_PARTS : c > 1 ? (unsigned)c - 1 : 1;
        check_width(c, 0, half[c]);
        check_width(c, MIB, half[c]);
        check_width(c, 64 * MIB, most > half[c] ? most : half[c]);
        ck_assert_uint_eq(thread_pool_width(), half[c]);
    }
    check_width(16, 6 * MIB, 12);
    atomic_int ended = 0;
    ck_assert(thread_pool_try(5, check_width_during_job, &ended));
    check_width(16, 64 * MIB, 15);
}
END_TEST

int main(void) {
    return testing_main(
        "thread_pool", 120,
        TESTS(LOOP(each_part_once, CASES), LOOP(no_thread, CASES), LOOP(parts_meet, CASES),
              LOOP(many_callers, CASES), LOOP(no_place_left, CASES), LOOP(child_has_its_own, CASES),
              ONCE(threads_end), LOOP(signals_wait, CASES), LOOP(cpus_are_the_callers, CASES),
              LOOP(loops, CASES), LOOP(width_grows_with_bytes, CASES)));
}
