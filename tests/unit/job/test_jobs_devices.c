/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the operations of lib/job/ops.def before ON_DEVICE on two devices. The results must be
 * GMP's, even if one device fails. Each device must compute a part of a batch and must not use the
 * other device's memory. tests/unit/operate/test_composition_shards.c tests composite operations
 * that are split between two devices. */
#include "compat/intercept/call.h"
#include "lib/session/session.h"
#include "tests/support/composite_cases.h"
#include "tests/support/twins.h"

const struct gpu_backend *const gpu_backends[] = {&twin_backend, NULL};

enum { N = 24, COUNT = 1501, COMPOSITE_N = 90, FAULTS = 3 };

static void begin(const char *verify) {
    char all[160];
    snprintf(all, sizeof all,
             "open:wait,watchdog:0,dispatch:fixed,batch:1,mul:never,sqr:never,add:never,"
             "device:0+1,verify:%s,log:%lu",
             verify, testing_option("MPGPU_TEST_LOG", 0) % 10);
    setenv("MPGPU_CONF", all, 1);
    call_init();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

/* Returns true if both devices compute parts of this batch operation. Products of matrices and of
 * polynomials, and linear systems, are computed on one device. */
static bool is_shared(enum job_op op) {
    return op != JOB_matrix_mul && op != JOB_matrix_solve && op != JOB_poly_mul;
}

static void compare(enum job_op op, unsigned variant, bool on_both) {
    struct job_case c;
    long launches[TWINS];
    job_case_make(&c, op, COUNT, N, variant, 1);
    for (int i = 0; i < TWINS; i++)
        launches[i] = twins[i].launches;
    job_case_open(&c);
    ck_assert_int_eq(batch_task_perform(&c.task), 0);
    for (int i = 0; i < TWINS && on_both && is_shared(op); i++)
        ck_assert_msg(twins[i].launches > launches[i], "%s, variant %u: not on device %d",
                      job_case_name(op), variant, i);
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

/* Compares a composite operation with GMP. If one device fails, the library tries it FAULTS times;
 * then the other device must compute. */
static void compare_composite(enum job_op op, bool on_both) {
    struct composite_case c;
    composite_case_make(&c, op, COMPOSITE_N, JOB_CASE_IN_PLACE);
    enum outcome outcome = composite_case_run(&c, job_run, "on two devices");
    for (int i = 0; i < FAULTS && !on_both && outcome != OUTCOME_DONE; i++)
        outcome = composite_case_run(&c, job_run, "on a device that fails");
    ck_assert_msg(outcome == OUTCOME_DONE, "%s: outcome %d", job_case_name(op), outcome);
    composite_case_free(&c);
}

static void compare_all(bool on_both) {
    for (int op = 0; op < JOB_BATCH_OPS; op++) {
        compare((enum job_op)op, JOB_CASE_IN_PLACE | JOB_CASE_SAME, on_both);
        compare((enum job_op)op, JOB_CASE_FOR_ALL | JOB_CASE_LONGER, on_both);
        compare((enum job_op)op, JOB_CASE_BARRETT | JOB_CASE_UNWANTED, on_both);
    }
    for (int op = JOB_BATCH_OPS; op < JOB_FIRST_ON_DEVICE; op++)
        compare_composite((enum job_op)op, on_both);
    ck_assert_int_eq(twins[0].strays + twins[1].strays, 0);
}

START_TEST(on_both_devices) {
    begin("device");
    compare_all(true);
}
END_TEST

/* With verify:full GMP checks all results, and one device computes each operation. */
START_TEST(verified) {
    begin("full");
    compare_all(false);
}
END_TEST

START_TEST(one_fails) {
    begin("device");
    twins[_i].launch = GPU_FAILED;
    compare_all(false);
}
END_TEST

int main(void) {
    setenv("POCL_DEVICES", "basic", 0); /* tests/unit/fault/fault_devices.h */
    return twins_main("jobs_devices",
                      TESTS(ONCE(on_both_devices), ONCE(verified), LOOP(one_fails, TWINS)));
}
