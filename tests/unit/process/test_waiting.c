/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests how threads wait: for events, for a stream (a queue of device work) whose owner works or
 * has ended, and in a process that is stopped by SIGSTOP. */
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/job/limbs.h"
#include "lib/process/backoff.h"
#include "lib/process/signal_guard.h"
#include "lib/session/session.h"
#include "lib/session/session_device.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

enum { LIMBS = 3000, SECOND = 1000000000 };

/* ---- events */

static struct event event;

static void *post_often(void *unused) {
    for (int i = 0; i < 20000; i++)
        event_post(&event);
    return unused;
}

static void *wait_often(void *unused) {
    for (unsigned i = 1; i <= 40000; i += 7)
        if (!backoff_wait(&(struct backoff){.spin_ns = 1000}, &event, i, EVENT_FOREVER))
            return &event;
    return unused;
}

/* No waiting thread may miss an event that is posted. */
START_TEST(posts_and_waits) {
    pthread_t thread[5];
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, i < 2 ? post_often : wait_often, NULL),
                         0);
    for (int i = 0; i < 5; i++) {
        void *result;
        pthread_join(thread[i], &result);
        ck_assert_ptr_null(result);
    }
    ck_assert_uint_eq(event_count(&event), 40000);
}
END_TEST

START_TEST(time_is_over) {
    struct event none = {0};
    int64_t start = event_clock();
    ck_assert(!event_sleep(&none, 1, SECOND / 20));
    ck_assert(!backoff_wait(&(struct backoff){.spin_ns = SECOND / 20}, &none, 1, 0));
    ck_assert(!event_sleep(&none, 1, -1));
    ck_assert_int_ge(event_clock() - start, SECOND / 10);
    ck_assert(event_sleep(&none, 0, 0));
    ck_assert_int_eq(event_nanoseconds(0.25), SECOND / 4);
    ck_assert_int_eq(event_nanoseconds(-1), 0);
    ck_assert_int_eq(event_nanoseconds(1e30), EVENT_FOREVER);
}
END_TEST

/* Only a limited number of threads may spin at the same time. The other threads must sleep, and
 * must not spin later. */
START_TEST(some_spin) {
    struct event none = {0};
    struct backoff_limit limit = {.most = 1, .spinners = 1};
    struct backoff b = {.spin_ns = 10 * (int64_t)SECOND, .limit = &limit};
    ck_assert(!backoff_wait(&b, &none, 1, SECOND / 20));
    ck_assert_int_eq(b.spin_ns, 0);
    b = (struct backoff){.spin_ns = SECOND / 20, .limit = &limit};
    limit.spinners = 0;
    ck_assert(backoff_wait(&b, &none, 0, 0));
    ck_assert_int_eq(b.spin_ns, SECOND / 20);
    int64_t start = event_clock();
    ck_assert(!backoff_wait(&b, &none, 1, 0));
    ck_assert_int_ge(event_clock() - start, SECOND / 20);
    ck_assert_int_eq(limit.spinners, 0);
}
END_TEST

/* ---- streams */

static struct stream *stream;

/* Opens the device, however long that takes; then sets a watchdog of `watchdog` seconds. */
static void begin(int i, double watchdog) {
    /* algorithm:ntt, because small products of other algorithms use no stream */
    configure(i, "open:wait,streams:1,watchdog:0,algorithm:ntt");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    mpgpu_conf.watchdog = watchdog;
}

/* Function of a thread: acquires a stream and ends without releasing it. */
static void *take_lane(void *unused) {
    stream = streams_acquire_one(&session_device(0)->streams, 0);
    return unused;
}

static void lose_lane(void) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, take_lane, NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_ptr_nonnull(stream);
}

static enum outcome multiply(void) {
    static const mp_limb_t up[LIMBS] = {1};
    static mp_limb_t rp[2 * LIMBS];
    return limbs_mul(rp, up, LIMBS, up, LIMBS);
}

START_TEST(holder_is_gone) {
    begin(_i, 1);
    lose_lane();
    int64_t start = event_clock();
    ck_assert_int_eq(multiply(), OUTCOME_FAILED);
    ck_assert_int_ge(event_clock() - start, SECOND);
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    start = event_clock();
    ck_assert_int_eq(multiply(), OUTCOME_NONE);
    ck_assert_int_lt(event_clock() - start, SECOND / 2);
}
END_TEST

/* Work that takes longer than the watchdog's time of the threads that wait. */
static void take_time(void *unused) {
    (void)unused;
    for (int i = 0; i < 30; i++)
        usleep(100000);
}

static void *hold_and_work(void *unused) {
    executor_post(stream->executor, take_time, NULL);
    executor_wait(stream->executor, 60);
    streams_release_one(&session_device(0)->streams, stream, 1);
    return unused;
}

START_TEST(holder_is_at_work) {
    pthread_t thread;
    begin(_i, 0);
    lose_lane();
    ck_assert_int_eq(pthread_create(&thread, NULL, hold_and_work, NULL), 0);
    struct stream *next = streams_acquire_one(&session_device(0)->streams, 1);
    ck_assert_ptr_nonnull(next);
    streams_release_one(&session_device(0)->streams, next, 1);
    pthread_join(thread, NULL);
    ck_assert_int_eq(multiply(), OUTCOME_DONE);
}
END_TEST

/* Runs in a child process: waits for a stream that is never released. Writes a byte to `told` just
 * before it waits. */
static void wait_for_ever(int i, int told) {
    begin(i, 0);
    /* the default action replaces a handler of Check, or of a compiler in the device's driver */
    signal(SIGTERM, SIG_DFL);
    lose_lane();
    if (write(told, "", 1) != 1)
        _exit(1);
    multiply();
    _exit(2);
}

/* Sends SIGTERM and waits for the child's end, which should come soon: a waiting thread checks for
 * signals every 100 ms. */
static enum gpu_status end_by_signal(pid_t child) {
    int status;
    kill(child, SIGTERM);
    for (int i = 0; i < 100; i++, usleep(50000))
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return status;
}

START_TEST(signals_pass) {
    int told[2];
    char byte;
    ck_assert_int_eq(pipe(told), 0);
    pid_t child = fork();
    if (child == 0)
        wait_for_ever(_i, told[1]);
    close(told[1]);
    ck_assert_int_eq(read(told[0], &byte, 1), 1);
    usleep(300000);
    enum gpu_status status = end_by_signal(child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "status %x", status);
}
END_TEST

/* ---- waits in a process that is stopped by SIGSTOP; that time must not count for the watchdog */

/* Work whose running time is much less than the watchdog's time. */
static void take_steps(void *unused) {
    (void)unused;
    for (int i = 0; i < 16; i++)
        usleep(50000);
}

static bool answer_comes(double watchdog) {
    struct executor *e = executor_start();
    executor_post(e, take_steps, NULL);
    return executor_wait(e, watchdog);
}

static struct streams lanes; /* of no device */

static void *release_later(void *unused) {
    take_steps(unused);
    streams_release_one(&lanes, stream, true);
    return unused;
}

/* Waits for a stream that another thread releases later. Returns true if it gets the stream. No
 * work runs on the stream, so nothing reports progress to the watchdog. */
static bool stream_comes_free(double watchdog) {
    pthread_t thread;
    streams_prepare(&lanes, NULL, NULL);
    stream = streams_begin(&lanes, true);
    if (!stream || pthread_create(&thread, NULL, release_later, NULL) != 0)
        return false;
    return streams_acquire_one(&lanes, watchdog) == stream;
}

START_TEST(stops_do_not_count) {
    bool (*const waits[])(double) = {answer_comes, stream_comes_free};
    pid_t child[2];
    int status[2];
    for (int i = 0; i < 2; i++)
        if ((child[i] = fork()) == 0)
            _exit(waits[i](3) ? 0 : 1);
    usleep(400000);
    for (int i = 0; i < 2; i++)
        kill(child[i], SIGSTOP);
    usleep(4000000);
    for (int i = 0; i < 2; i++)
        kill(child[i], SIGCONT);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(waitpid(child[i], &status[i], 0), child[i]);
    ck_assert_msg(status[0] == 0 && status[1] == 0, "an answer: %x, a stream: %x", status[0],
                  status[1]);
}
END_TEST

/* ---- signal guards, which a thread has during a call of the library */

/* The library's calls change the floating-point environment between signal_guard_begin and
 * signal_guard_end. Afterwards, also with nested guards, the program must have its own environment
 * again. */
START_TEST(floating_point_stays) {
    struct signal_guard outer, inner;
    fesetround(FE_DOWNWARD);
    feraiseexcept(FE_OVERFLOW);
    signal_guard_begin(&outer);
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    signal_guard_begin(&inner);
    feraiseexcept(FE_DIVBYZERO);
    signal_guard_end(&inner);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    feraiseexcept(FE_INEXACT);
    signal_guard_end(&outer);
    ck_assert_int_eq(fegetround(), FE_DOWNWARD);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_OVERFLOW);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, posts_and_waits);
    tcase_add_test(tests, time_is_over);
    tcase_add_test(tests, some_spin);
    tcase_add_test(tests, floating_point_stays);
    tcase_add_test(tests, stops_do_not_count);
    tcase_add_loop_test(tests, holder_is_gone, 0, device_count);
    tcase_add_loop_test(tests, holder_is_at_work, 0, device_count);
    tcase_add_loop_test(tests, signals_pass, 0, device_count);
}

int main(void) {
    session_open_any();
    return run_on_devices("waiting", 600, add_tests);
}
