/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Every operation of lib/job/ops.def on two devices: results are GMP's, each device has its share
 * and no memory of the other's, also where one fails. */
#include "compat/intercept/call.h"
#include "lib/session/session.h"
#include "tests/support/job_cases.h"
#include "tests/support/testing.h"
#include "tests/support/twin_backend.h"

const struct gpu_backend *const gpu_backends[] = {&twin_backend, NULL};

enum { N = 24, COUNT = 1501 };

static void begin(void) {
    char all[160];
    snprintf(all, sizeof all,
             "open:wait,watchdog:0,dispatch:fixed,batch:1,mul:never,sqr:never,add:never,"
             "device:0+1,log:%lu",
             testing_option("MPGPU_TEST_LOG", 0) % 10);
    setenv("MPGPU_CONF", all, 1);
    call_init();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

static void compare(enum job_op op, unsigned variant, bool on_both) {
    struct job_case c;
    long launches[TWINS];
    job_case_make(&c, op, COUNT, N, variant, 1);
    for (int i = 0; i < TWINS; i++)
        launches[i] = twins[i].launches;
    job_case_open(&c);
    ck_assert_int_eq(batch_task_perform(&c.task), 0);
    for (int i = 0; i < TWINS && on_both; i++)
        ck_assert_msg(twins[i].launches > launches[i], "%s, variant %u: not on device %d",
                      job_case_name(op), variant, i);
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

static void compare_all(bool on_both) {
    for (int op = 0; op < JOB_BATCH_OPS; op++) {
        compare((enum job_op)op, JOB_CASE_IN_PLACE | JOB_CASE_SAME, on_both);
        compare((enum job_op)op, JOB_CASE_FOR_ALL | JOB_CASE_LONGER, on_both);
        compare((enum job_op)op, JOB_CASE_BARRETT | JOB_CASE_UNWANTED, on_both);
    }
    ck_assert_int_eq(twins[0].strays + twins[1].strays, 0);
}

START_TEST(on_both_devices) {
    begin();
    compare_all(true);
}
END_TEST

START_TEST(one_fails) {
    begin();
    twins[_i].launch = GPU_FAILED;
    compare_all(false);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("jobs_devices");
    TCase *tests = tcase_create("twins");
    setenv("POCL_DEVICES", "basic", 0); /* tests/unit/fault/fault_devices.h */
    if (!twin_real()) {
        printf("skipped: no device\n");
        return 77;
    }
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, on_both_devices);
    tcase_add_loop_test(tests, one_fails, 0, TWINS);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
