/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests signal handlers that leave calls on batches by siglongjmp while the device does not answer
 * (see test_handlers_fault.c). The work of an abandoned call must not change a batch that is used
 * again. The memory of the call must be released exactly once. */
#include "config.h"

#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/gmp/real.h"
#include "lib/process/lease.h"
#include "lib/session/session_device.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_handlers.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { N = 9, COUNT = 5, ALL = N * COUNT, LATE_US = 300000 };

static mp_limb_t u[ALL], v[ALL], w[2 * ALL], product[2 * ALL];
static mpgpu_batch *b[3]; /* b[0] and b[1] are factors, b[2] their products */

static void fill(mp_limb_t *x, size_t n, mp_limb_t seed) {
    for (size_t i = 0; i < n; i++)
        x[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
}

static void prepare(int i, const char *more) {
    char conf[160];
    snprintf(
        conf, sizeof conf,
        "open:wait,watchdog:0,streams:2,dispatch:fixed,batch:1,mul:never,sqr:never,add:never%s",
        more);
    setenv("MPGPU_CONF", conf, 1);
    fault_plan.real = reals[i];
    call_init();
    fill(u, ALL, 1);
    fill(v, ALL, 2);
    fill(w, 2 * ALL, 3);
    for (size_t k = 0; k < COUNT; k++)
        real.mpn_mul_n(product + 2 * k * N, u + k * N, v + k * N, N);
}

static void begin(void) {
    begin_life((struct fault_plan){.alone = 1});
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    b[0] = mpgpu_batch_create(COUNT, N);
    b[1] = mpgpu_batch_create(COUNT, N);
    b[2] = mpgpu_batch_create(COUNT, 2 * N);
    ck_assert_int_eq(mpgpu_batch_set(b[0], u), 0);
    ck_assert_int_eq(mpgpu_batch_set(b[1], v), 0);
    ck_assert_int_eq(mpgpu_batch_set(b[2], w), 0);
}

static void expect(mpgpu_batch *x, const mp_limb_t *right) {
    mp_limb_t got[2 * ALL];
    size_t bytes = mpgpu_batch_count(x) * mpgpu_batch_limbs(x) * sizeof *got;
    int error = mpgpu_batch_get(got, x);
    ck_assert_msg(error == 0 && memcmp(got, right, bytes) == 0, "error %d: call %ld", error,
                  fault_plan.call);
}

static void end(void) {
    for (int i = 0; i < 3; i++)
        mpgpu_batch_destroy(b[i]);
    fault_answer();
    session_calm();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_msg(session_faults() == 0, "%d faults: call %ld", session_faults(), fault_plan.call);
    die();
    check_released();
}

/* ---- calls that hang until a signal handler has run */

static void *answer_late(void *unused) {
    usleep(LATE_US);
    fault_answer();
    return unused;
}

static long calls_of(void (*call)(void)) {
    begin();
    long before = fault_count.calls;
    call();
    long calls = fault_count.calls - before;
    end();
    return calls;
}

/* Downloads a batch, which must wait for the hanging device. Another thread ends the hang after
 * LATE_US microseconds. */
static void drop_and_answer(void) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, NULL), 0);
    expect(b[0], u);
    pthread_join(thread, NULL);
}

static void multiply(void) {
    mpgpu_batch_mul(b[2], b[0], b[1]);
}

/* A signal handler leaves a multiplication; then the result's batch is set to other numbers, and
 * later the device answers. The batch must keep the new numbers. */
static void use_again(long place) {
    pthread_t thread;
    begin();
    if (run_interrupted(multiply, place, leave)) {
        ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, NULL), 0);
        ck_assert_int_eq(mpgpu_batch_set(b[2], w), 0);
        session_calm();
        expect(b[2], w);
        pthread_join(thread, NULL);
    }
    expect(b[0], u);
    multiply();
    expect(b[2], product);
    end();
}

START_TEST(results_of_calls_that_were_left) {
    prepare(_i, "");
    long calls = calls_of(multiply);
    for (long place = 1; place <= calls; place++)
        use_again(place);
}
END_TEST

/* If a handler has left a call, downloading the call's result must return MPGPU_LOST until the
 * batch is set again. The library must count no fault of the device. */
START_TEST(result_is_lost) {
    mp_limb_t got[2 * ALL];
    prepare(_i, "");
    begin();
    ck_assert(run_interrupted(multiply, 1, leave));
    fault_answer();
    ck_assert_int_eq(mpgpu_batch_get(got, b[2]), MPGPU_LOST);
    end();
}
END_TEST

/* Signal handler: makes the device continue, and returns only after the interrupted thread has lost
 * its stream (a queue of device work). */
static void take_long(int signal) {
    struct session_device *d = session_device(0);
    (void)signal;
    fault_answer();
    for (int i = 0; i < STREAMS_MOST; i++)
        while (atomic_load(&d->streams.stream[i].lease.state) % 4 == 1) /* suspended */
            usleep(1000);
}

static void destroy(void) {
    mpgpu_batch_destroy(b[2]);
    b[2] = NULL;
}

/* A signal handler interrupts the destruction of a batch. With clear:true the destruction calls the
 * device, so it can be interrupted. */
START_TEST(memory_is_released_once) {
    prepare(_i, ",clear:true");
    long calls = calls_of(destroy);
    ck_assert_int_gt(calls, 0);
    begin();
    long buffers = fault_count.buffers;
    run_interrupted(destroy, 1, take_long);
    session_calm();
    ck_assert_int_eq(fault_count.buffers, buffers - 1);
    end();
}
END_TEST

static void set_anew(void) {
    mpgpu_batch *x = mpgpu_batch_create(COUNT, 3 * N);
    static mp_limb_t limbs[3 * ALL];
    mpgpu_batch_set(x, limbs);
    mpgpu_batch_destroy(x);
}

/* A signal handler leaves a call while the device allocates memory for it. The library must release
 * that memory. */
START_TEST(memory_of_a_call_that_was_left) {
    prepare(_i, "");
    begin();
    ck_assert(run_interrupted(set_anew, 1, leave));
    drop_and_answer();
    end();
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends("signal handlers and batches",
                                TESTS(PER_DEVICE(results_of_calls_that_were_left, 1),
                                      PER_DEVICE(result_is_lost, 1),
                                      PER_DEVICE(memory_is_released_once, 1),
                                      PER_DEVICE(memory_of_a_call_that_was_left, 1)));
}
