/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares every composite operation of lib/job/ops.def (one of several products) with GMP. The
 * operations run on the device, or on the host, which may send the products to the device. Operands
 * have long carries. Results may replace operands or be omitted. Lengths are random, or at the
 * limits at which an algorithm needs one more step or multiplies modulo B^w - 1 (B = 2^64). Invalid
 * jobs must be refused. MPGPU_TEST_COMPOSITES is the number of random cases of each operation,
 * MPGPU_TEST_LIMBS the largest n of composite_case_make. */
#include "lib/algorithms/recipe.h"
#include "lib/job/engine.h"
#include "tests/support/composite_cases.h"
#include "tests/support/engines.h"

static enum outcome compute_on_host(struct job *job) {
    const bool is_done = recipe_run_on_host(&engine_work, job);
    ck_assert_int_eq(engine_work.failed, OUTCOME_DONE);
    ck_assert(engine == ENGINE_PRODUCTS || engine_work.sent == 0);
    return is_done ? OUTCOME_DONE : OUTCOME_MEMORY;
}

static void compare(enum job_op op, size_t n, unsigned variant) {
    struct composite_case c;
    char what[80];
    snprintf(what, sizeof what, "%zu limbs, variant %u, engine %d", n, variant, (int)engine);
    composite_case_make(&c, op, n, variant);
    const enum outcome outcome =
        composite_case_run(&c, engine == ENGINE_DEVICE ? job_run : compute_on_host, what);
    const bool is_taken = engine != ENGINE_DEVICE || job_takes(&c.job);
    ck_assert_msg(outcome == (is_taken ? OUTCOME_DONE : OUTCOME_SIZE), "%s: outcome %d: %s",
                  job_case_name(op), outcome, what);
    composite_case_free(&c);
}

/* Compares each operation that the current engine can compute. Engines are the device, and the host
 * with products by GMP or by the device. */
static void compare_all(size_t n, unsigned variants) {
    for (int op = JOB_BATCH_OPS; op < JOB_FIRST_ON_DEVICE; op++)
        if (engine == ENGINE_DEVICE || composite_case_is_for_host((enum job_op)op))
            compare((enum job_op)op, n, testing_below(variants));
}

START_TEST(random_sizes) {
    engine_open(_i);
    const size_t most = testing_option("MPGPU_TEST_LIMBS", 3000);
    for (unsigned long k = testing_option("MPGPU_TEST_COMPOSITES", 20); k > 0; k--)
        compare_all(testing_size(most), JOB_CASE_VARIANTS);
}
END_TEST

START_TEST(small_sizes) {
    engine_open(_i);
    for (size_t n = 1; n < 20; n++)
        for (int k = 0; k < 3; k++)
            compare_all(n, JOB_CASE_VARIANTS);
}
END_TEST

/* Returns the distance between tested sizes: `fewer` in a backend's second run, which uses the
 * kernels for GPUs, otherwise 1. In the second run the algorithms take the same steps, so some
 * sizes can be skipped. */
static size_t stride(int i, size_t fewer) {
    return backends[i / ENGINES].kernels_of_gpus ? fewer : 1;
}

/* Tests sizes around those at which Newton's iteration for reciprocals and roots takes one more
 * step, or a product tree has one more level. */
START_TEST(steps) {
    static const size_t sizes[] = {120, 128, 238, 256, 474, 1024, 2048};
    engine_open(_i);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t n = sizes[i] - 4; n < sizes[i] + 8; n += stride(_i, 3))
            compare_all(n, JOB_CASE_VARIANTS);
}
END_TEST

/* Tests sizes at which divisions, powers and roots compute products modulo B^w - 1 (B = 2^64). */
START_TEST(in_a_ring) {
    static const size_t sizes[] = {4100, 6001, 8185, 8187, 8188, 8189, 8190, 8191, 16001, 40000};
    engine_open(_i);
    const size_t times = composite_limbs(1), size_step = times > 1 ? 4 : stride(_i, 4);
    const int rounds = times > 1 ? 2 : 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += size_step)
        for (int k = 0; k < rounds; k++)
            compare_all(sizes[i] * times, JOB_CASE_IN_PLACE);
}
END_TEST

/* Tests operations whose results nothing checks, and operations whose results the host checks. */
START_TEST(checks) {
    static const enum conf_verify kinds[] = {VERIFY_OFF, VERIFY_RESIDUE};
    composite_open(backends[_i / 2]);
    engine = ENGINE_DEVICE;
    mpgpu_conf.verify = kinds[_i % 2];
    for (int k = 0; k < 6; k++)
        compare_all(testing_size(600), JOB_CASE_VARIANTS);
}
END_TEST

/* ---- jobs that must be refused */

/* Makes the job invalid, whatever its operation is. `kind` chooses what is changed. */
static void spoil(struct job *job, unsigned kind) {
    struct job_ref *u = &job->u[testing_below(job->operands)];
    switch (kind) {
    case 0:
        u->host = NULL;
        break;
    case 1:
        u->count += 2;
        break;
    case 2:
        u->n = testing_below(2) ? 0 : u->n << 56;
        break;
    case 3:
        u->is_text = !u->is_text;
        break;
    case 4:
        job->operands = testing_below(2) ? job->operands + 2 : 0;
        break;
    case 5:
        job->results += 1;
        break;
    case 6:
        job->results = 0;
        break;
    case 7:
        job->r[0] = (struct job_ref){.host = job->u[0].host, .count = 2, .n = 1};
        break;
    default:
        job->op = JOB_OPS + (unsigned)testing_below(1000);
    }
}

START_TEST(others_are_refused) {
    engine_open(_i);
    for (int op = JOB_BATCH_OPS; op < JOB_FIRST_ON_DEVICE; op++)
        for (unsigned i = 0; i < 90; i++) {
            struct composite_case c;
            composite_case_make(&c, (enum job_op)op, 40, 0);
            struct job job = c.job;
            spoil(&job, i % 9);
            ck_assert_msg(!job_fits(&job) && job_run(&job) == OUTCOME_FAILED,
                          "%s fits after change %u", job_case_name((enum job_op)op), i % 9);
            composite_case_free(&c);
        }
}
END_TEST

/* Runs the job with a view that is enlarged after job_fits has checked it, as another process may
 * do in shared memory. The run must fail. */
static enum outcome run_changed(struct job *job) {
    struct mandelbrot_view *v = (struct mandelbrot_view *)job->u[0].host, before = *v;
    v->rows += 1000;
    enum outcome outcome = engine_run(job);
    *v = before;
    return outcome;
}

START_TEST(changed_view_is_refused) {
    struct composite_case c;
    composite_open(backends[_i]);
    composite_case_make(&c, JOB_mandelbrot, 40, COMPOSITE_CASE_PLAIN);
    ck_assert_int_eq(composite_case_run(&c, run_changed, "changed"), OUTCOME_FAILED);
    ck_assert_int_eq(composite_case_run(&c, job_run, "again"), OUTCOME_DONE);
    composite_case_free(&c);
}
END_TEST

int main(void) {
    return composite_tests("composite operations",
                           TESTS(PER_DEVICE(in_a_ring, ENGINES), PER_DEVICE(random_sizes, ENGINES),
                                 PER_DEVICE(small_sizes, ENGINES), PER_DEVICE(steps, ENGINES),
                                 PER_DEVICE(checks, 2), LOOP(others_are_refused, 1),
                                 PER_DEVICE(changed_view_is_refused, 1)));
}
