/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares every operation of lib/job/ops.def with GMP, with and without a device, and with each
 * kind of check.  Operands break carries; lengths are at the limits of programs.  An operand may be
 * used twice, a result may be written in place, and one number may serve for all.  Jobs that do not
 * fit together are refused. */
#include <string.h>

#include "compat/intercept/call.h"
#include "tests/support/backends.h"
#include "tests/support/job_cases.h"

/* Results lie on the device, or on the host; the kernels for GPUs do not make all on a CPU, where
 * some gcds take several work-items a number. */
static enum { HOST, DEVICE, EITHER } want;

static void compare(enum job_op op, size_t count, size_t n, unsigned variant) {
    struct job_case c;
    job_case_make(&c, op, count, n, variant, testing_below(UINT32_MAX));
    job_case_open(&c);
    const int error = batch_task_perform(&c.task);
    ck_assert_msg(error == 0, "%s: %s", job_case_name(op), mpgpu_error());
    for (unsigned k = 0; k < c.task.results; k++)
        if (c.task.r[k] && want != EITHER)
            ck_assert_msg(mpgpu_batch_on_device(c.task.r[k]) == (want == DEVICE),
                          "%s of %zu limbs, variant %u: not where it should be", job_case_name(op),
                          n, variant);
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

/* Compares each operation in `variants` random variants. */
static void compare_all(size_t count, size_t n, unsigned variants) {
    for (int op = 0; op < JOB_OPS; op++)
        for (unsigned i = 0; i < variants; i++)
            compare((enum job_op)op, count, n, testing_below(JOB_CASE_VARIANTS));
}

static void use_device(int i, int verify) {
    want = backends[i].kernels_of_gpus ? EITHER : DEVICE;
    use_backend(backends[i], verify);
}

START_TEST(variants) {
    use_device(_i, VERIFY_DEVICE);
    for (int op = 0; op < JOB_OPS; op++)
        for (unsigned variant = 0; variant < JOB_CASE_VARIANTS; variant++)
            compare((enum job_op)op, 1 + testing_below(40), 1 + testing_below(9), variant);
}
END_TEST

START_TEST(lengths) {
    static const size_t sizes[] = {12, 16, 17, 25, 32, 33, 64, 65, 70, 128, 129};
    use_device(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_all(1 + testing_below(5), sizes[i], 1);
}
END_TEST

/* Without the check, and with GMP's. */
START_TEST(checks) {
    static const int kinds[] = {VERIFY_OFF, VERIFY_RESIDUE, VERIFY_FULL};
    use_device(_i / 3, kinds[_i % 3]);
    compare_all(1 + testing_below(20), 1 + testing_below(12), 4);
}
END_TEST

START_TEST(without_a_device) {
    want = HOST;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_all(1 + testing_below(20), 1 + testing_below(12), 8);
}
END_TEST

/* ---- what is refused */

/* One count, length or number of batches of a job that fits is changed. */
static void spoil(struct job *job) {
    struct job_batch *b = testing_below(2) ? &job->u[testing_below(job->operands)]
                                           : &job->r[testing_below(job->results)];
    switch (testing_below(5)) {
    case 0:
        b->n += 1 + testing_below(3) * 0x80000000;
        break;
    case 1:
        b->count += 1 + testing_below(3) * 0x80000000;
        break;
    case 2:
        job->operands = (unsigned)testing_below(4) ? JOB_OPERANDS + 1 : 0;
        break;
    case 3:
        job->results = JOB_RESULTS + 1;
        break;
    default:
        job->op = (enum job_op)(JOB_OPS + testing_below(1000));
    }
}

/* Some changes leave a job that fits, such as another number of moduli.  Nine of ten do not. */
START_TEST(others_are_refused) {
    unsigned refused = 0, all = 0;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (int op = 0; op < JOB_OPS; op++)
        for (unsigned i = 0; i < 200; i++) {
            struct job_case c;
            struct job job;
            job_case_make(&c, (enum job_op)op, 3, 4, testing_below(JOB_CASE_VARIANTS), i);
            job_case_open(&c);
            batch_task_job(&c.task, &job);
            ck_assert(job_fits(&job));
            spoil(&job);
            refused += !job_fits(&job);
            all++;
            job_case_close(&c);
            job_case_free(&c);
        }
    ck_assert_msg(10 * refused >= 9 * all, "%u of %u refused", refused, all);
}
END_TEST

/* A task without an operand, with a result twice, or with a batch of another length changes
 * nothing. */
START_TEST(bad_tasks) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (int op = 0; op < JOB_OPS; op++) {
        struct job_case c;
        job_case_make(&c, (enum job_op)op, 3, 4, 0, 1);
        job_case_open(&c);
        struct batch_task bad = c.task;
        bad.u[bad.operands - 1] = NULL;
        ck_assert_int_eq(batch_task_perform(&bad), MPGPU_ARGUMENTS);
        bad = c.task;
        mpgpu_batch *other = mpgpu_batch_create(3, 23);
        bad.r[0] = other;
        ck_assert_int_eq(batch_task_perform(&bad), MPGPU_ARGUMENTS);
        mpgpu_batch_destroy(other);
        if (c.task.results > 1) {
            bad = c.task;
            bad.r[1] = bad.r[0];
            ck_assert_int_eq(batch_task_perform(&bad), MPGPU_ARGUMENTS);
        }
        ck_assert_str_ne(mpgpu_error(), "");
        ck_assert_int_eq(batch_task_perform(&c.task), 0);
        job_case_check(&c);
        job_case_close(&c);
        job_case_free(&c);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, variants, 0, backend_count);
    tcase_add_loop_test(tests, lengths, 0, backend_count);
    tcase_add_loop_test(tests, checks, 0, 3 * backend_count);
    tcase_add_test(tests, without_a_device);
    tcase_add_test(tests, others_are_refused);
    tcase_add_test(tests, bad_tasks);
}

int main(void) {
    choose_batches_alone();
    return run_on_backends("jobs", add, NULL);
}
