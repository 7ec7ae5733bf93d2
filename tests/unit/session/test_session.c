/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the session: opening a device, one operation at a time, fork, and faults. Every test runs
 * in a separate process, in which no device is open at first. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/thresholds.h"
#include "lib/job/limbs.h"
#include "lib/session/session.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

/* An operation for session_run that does nothing and returns the status *status. */
static enum gpu_status end_with(struct context *s, void *status) {
    (void)s;
    return *(enum gpu_status *)status;
}

static enum outcome run(enum gpu_status status) {
    return session_run(end_with, &status, sizeof status, 0);
}

static void check_described(const char *part) {
    char text[512];
    session_describe(text, sizeof text);
    ck_assert_msg(strstr(text, part) != NULL, "%s", text);
}

START_TEST(opens_in_the_background) {
    configure(_i, "open:now");
    check_described("not opened");
    ck_assert_int_eq(run(GPU_OK), OUTCOME_OPENING);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    check_described(devices[_i].backend->name);
    ck_assert_int_eq(run(GPU_OK), OUTCOME_DONE);
}
END_TEST

START_TEST(waits_if_asked) {
    configure(_i, "open:wait");
    ck_assert_int_eq(run(GPU_OK), OUTCOME_DONE);
}
END_TEST

START_TEST(no_backend) {
    setenv("MPGPU_CONF", "backend:none,open:wait", 1);
    session_init();
    ck_assert_int_eq(run(GPU_OK), OUTCOME_NONE);
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    check_described("backend:none");
}
END_TEST

START_TEST(no_such_device) {
    setenv("MPGPU_CONF", "device:no device has this name,open:wait", 1);
    session_init();
    ck_assert_int_eq(run(GPU_OK), OUTCOME_NONE);
    check_described("none for backend auto, device no device has this name");
    ck_assert_int_eq(run(GPU_OK), OUTCOME_NONE);
}
END_TEST

START_TEST(each_threshold) {
    ck_assert_uint_eq(thresholds.mul, 0);
    configure(_i, "mul:1234,sqr:never,mulmod:77,open:wait");
    ck_assert_uint_eq(thresholds.mul, 1234);
    ck_assert_uint_eq(thresholds.sqr, MPGPU_NEVER);
    ck_assert_uint_eq(thresholds.mulmod, 77);
    ck_assert_uint_ne(thresholds.add, 0);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_uint_eq(thresholds.mul, 1234);
}
END_TEST

static enum gpu_status nest(struct context *s, void *nested) {
    (void)s;
    *(enum outcome *)nested = run(GPU_OK);
    errno = 1;
    return GPU_OK;
}

START_TEST(caller_is_left_alone) {
    enum outcome nested = OUTCOME_DONE;
    int cancel;
    configure(_i, "open:wait");
    errno = 4711;
    ck_assert_int_eq(session_run(nest, &nested, sizeof nested, 0), OUTCOME_DONE);
    ck_assert_int_eq(nested, OUTCOME_NONE);
    ck_assert_int_eq(errno, 4711);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
    ck_assert_int_eq(cancel, PTHREAD_CANCEL_ENABLE);
}
END_TEST

/* Forks. Returns 0 if session_run and session_wait report OUTCOME_FORKED in the child. */
static int ask_after_fork(void) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (run(GPU_OK) != OUTCOME_FORKED || session_wait() != OUTCOME_FORKED)
            _exit(1);
        exit(0); /* with all handlers */
    }
    waitpid(child, &status, 0);
    return status;
}

/* In a child of fork, the library must refuse all operations. The option is server:off, because a
 * server could have a device for the child. */
START_TEST(child_of_fork) {
    configure(_i, "open:now,server:off");
    ck_assert_int_eq(run(GPU_OK), OUTCOME_OPENING);
    for (int k = 0; k < 20; k++)
        ck_assert_int_eq(ask_after_fork(), 0);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    for (int k = 0; k < 20; k++)
        ck_assert_int_eq(ask_after_fork(), 0);
    ck_assert_int_eq(run(GPU_OK), OUTCOME_DONE);
}
END_TEST

static enum gpu_status too_much(struct context *s, void *unused) {
    gpu_mem mem;
    (void)unused;
    ck_assert_int_eq(context_buffer(s, SLOT_U, 20 << 20, &mem), GPU_OK);
    ck_assert_uint_ge(s->slot[SLOT_U].bytes, 20 << 20);
    ck_assert_int_eq(context_buffer(s, SLOT_V, 20 << 20, &mem), GPU_NOMEM);
    ck_assert_int_eq(context_buffer(s, SLOT_V, SIZE_MAX, &mem), GPU_NOMEM);
    ck_assert_int_eq(context_buffer(s, SLOT_V, 10 << 20, &mem), GPU_OK);
    return GPU_NOMEM;
}

static enum gpu_status as_much_again(struct context *s, void *unused) {
    gpu_mem mem;
    (void)unused;
    ck_assert_uint_eq(s->slot[SLOT_U].bytes, 0);
    return context_buffer(s, SLOT_V, 20 << 20, &mem);
}

/* Tests the option `memory`. The limit also covers the tables and the scratch memory of small
 * products, which take some MiB. */
START_TEST(memory_limit) {
    int unused = 0;
    configure(_i, "open:wait,memory:40M");
    ck_assert_int_eq(session_run(too_much, &unused, sizeof unused, 0), OUTCOME_MEMORY);
    ck_assert_int_eq(session_run(as_much_again, &unused, sizeof unused, 0), OUTCOME_DONE);
}
END_TEST

START_TEST(three_faults) {
    configure(_i, "open:wait");
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(run(k ? GPU_FAILED : GPU_NOBUILD), OUTCOME_FAILED);
    ck_assert_int_eq(run(GPU_OK), OUTCOME_DONE);
    session_fault();
    ck_assert_int_eq(run(GPU_OK), OUTCOME_NONE);
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    check_described("left alone");
}
END_TEST

/* Function of a thread: computes products of *limbs limbs. Returns NULL if all were right. */
static void *multiply(void *limbs) {
    size_t n = *(size_t *)limbs, wrong = 0;
    mp_limb_t *up = malloc(6 * n * sizeof *up), *vp = up + n, *rp = vp + n, *right = rp + 2 * n;
    for (size_t i = 0; i < 2 * n; i++)
        up[i] = (i + 1) * 0x9e3779b97f4a7c15u * n;
    mpn_mul_n(right, up, vp, n);
    for (int k = 0; k < 20; k++) {
        enum outcome outcome = limbs_mul(rp, up, n, vp, n);
        wrong += outcome != OUTCOME_DONE || memcmp(rp, right, 2 * n * sizeof *rp) != 0;
    }
    free(up);
    return wrong ? limbs : NULL;
}

START_TEST(several_threads) {
    static size_t sizes[] = {100, 1000, 5000, 20000};
    pthread_t thread[4];
    void *wrong;
    configure(_i, "open:wait");
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, multiply, &sizes[k]), 0);
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], &wrong);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, no_backend);
    tcase_add_test(tests, no_such_device);
    tcase_add_loop_test(tests, opens_in_the_background, 0, device_count);
    tcase_add_loop_test(tests, waits_if_asked, 0, device_count);
    tcase_add_loop_test(tests, each_threshold, 0, device_count);
    tcase_add_loop_test(tests, caller_is_left_alone, 0, device_count);
    tcase_add_loop_test(tests, child_of_fork, 0, device_count);
    tcase_add_loop_test(tests, memory_limit, 0, device_count);
    tcase_add_loop_test(tests, three_faults, 0, device_count);
    tcase_add_loop_test(tests, several_threads, 0, device_count);
}

int main(void) {
    return run_on_devices("session", 600, add_tests);
}
