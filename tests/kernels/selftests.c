/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that the library's self-tests notice kernels that do nothing, and that operations then
 * decline. */
#include "lib/fixed/mandelbrot.h"
#include "lib/fixed/operations.h"
#include "lib/modular/euclid_plan.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"
#include "tests/support/composite_cases.h"

static enum gpu_status product(struct context *s) {
    const struct batch_operation op = {.kind = BATCH_PRODUCT, .count = 1, .words = 40};
    return selftest_batch(s, &op);
}

static enum gpu_status sum(struct context *s) {
    const struct batch_operation op = {.kind = BATCH_SUM, .count = 1, .words = 40};
    return selftest_batch(s, &op);
}

static enum gpu_status euclid(struct context *s, enum euclid_kind kind) {
    const struct euclid_operation op = {.kind = kind, .count = 1, .words = 8, .u_words = 8};
    return selftest_euclid(s, &op);
}

static enum gpu_status gcd(struct context *s) {
    return euclid(s, EUCLID_GCD);
}

static enum gpu_status inverse(struct context *s) {
    return euclid(s, EUCLID_INVERSE);
}

static enum gpu_status quotient(struct context *s) {
    return euclid(s, EUCLID_DIVIDE);
}

static enum gpu_status long_quotient(struct context *s) {
    const struct euclid_operation op = {
        .kind = EUCLID_DIVIDE, .count = 1, .words = euclid_newton_least};
    return selftest_euclid(s, &op);
}

static enum gpu_status modular(struct context *s) {
    return selftest_modular(s, 8);
}

static enum gpu_status barrett(struct context *s) {
    return selftest_barrett(s, 8);
}

static enum gpu_status fixed(struct context *s) {
    return operations_verify(s, 4);
}

static enum gpu_status view(struct context *s) {
    const struct mandelbrot_view v = {.words = 4, .width = 4, .rows = 4, .most = 4};
    uint32_t iterations[16], magnitudes[16];
    return mandelbrot_device(s, &v, iterations, magnitudes);
}

/* Each entry: a prefix of kernel names, and the self-test that must fail if these kernels do
 * nothing. */
static const struct lazy {
    const char *kernel;
    enum gpu_status (*test)(struct context *s);
} all[] = {
    {"mul_1", selftest_limb},
    {"divide_1", selftest_divide},
    {"halves_join", selftest_halves},
    {"halves_end", selftest_halves},
    {"remainder_make", selftest_remainder},
    {"window", selftest_window},
    {"choose", selftest_window},
    {"equation", selftest_window},
    {"unchanged", selftest_window},
    {"mersenne_", selftest_mersenne},
    {"text_chunks", selftest_radix},
    {"leaf_set", selftest_radix},
    {"leaf_get", selftest_radix},
    {"leaf_resolve", selftest_radix},
    {"text_digits", selftest_radix},
    {"text_residue", selftest_radix},
    {"text_sum", selftest_radix},
    {"radix_spread", selftest_radix},
    {"radix_split", selftest_radix},
    {"tree_middle", selftest_tree},
    {"tree_scale", selftest_tree},
    {"tree_merge", selftest_tree},
    {"tree_check", selftest_tree},
    {"batch_mul", product},
    {"batch_sum", sum},
    {"batch_compare", selftest_order},
    {"batch_select", selftest_order},
    {"batch_gcd", gcd},
    {"batch_inverse", inverse},
    {"batch_divide", quotient},
    {"quotient_", long_quotient},
    {"modular_", modular},
    {"barrett_", barrett},
    {"fixed_numbers", fixed},
    {"mandelbrot_pixels", view},
};

static enum gpu_status fails(struct context *s, void *one) {
    const struct lazy *l = one;
    forget_known(s, NULL);
    const enum gpu_status status = l->test(s);
    ck_assert_msg(status == GPU_FAILED, "%s: %s", l->kernel, gpu_status_text(status));
    ck_assert(s->failed);
    ck_assert_msg(l->test(s) == GPU_FAILED, "%s is known", l->kernel);
    s->failed = 0;
    return GPU_OK;
}

START_TEST(finds_lazy_kernels) {
    struct lazy one = all[_i];
    host_lazy = one.kernel;
    open_host(ALGORITHM_AUTO);
    /* checking the result would read memory that no kernel has written */
    mpgpu_conf.verify = VERIFY_OFF;
    with_device(fails, &one);
}
END_TEST

/* Each entry: a prefix of the names of kernels that an operation needs. BARRETT is a variant of the
 * batches. */
enum { BARRETT = JOB_CASE_BARRETT };
static const struct need {
    enum job_op op;
    const char *kernel;
    unsigned variant;
} needs[] = {
    {JOB_batch_sum, "batch_sum", 0},
    {JOB_batch_mul, "batch_mul", 0},
    {JOB_batch_mullo, "batch_mul", 0},
    {JOB_batch_cmp, "batch_compare", 0},
    {JOB_batch_select, "batch_select", 0},
    {JOB_batch_tdiv_qr, "batch_divide", 0},
    {JOB_batch_gcd, "batch_gcd", 0},
    {JOB_batch_mod_inv, "batch_inverse", 0},
    {JOB_batch_mod_inv, "batch_divide", BARRETT},
    {JOB_batch_mod_inv, "batch_mul", BARRETT},
    {JOB_batch_mod, "modular_", 0},
    {JOB_batch_mod, "barrett_", BARRETT},
    {JOB_batch_mod_mul, "modular_", 0},
    {JOB_batch_mod_mul, "batch_mul", BARRETT},
    {JOB_batch_mod_pow, "modular_", 0},
    {JOB_batch_mod_known, "modular_", 0},
    {JOB_batch_mod_known, "barrett_", BARRETT},
    {JOB_batch_mod_known, "batch_divide", BARRETT},
    {JOB_batch_expression, "batch_mul", 0},
    {JOB_matrix_mul, "matrix_product", 0},
    {JOB_matrix_solve, "system_", 0},
    {JOB_poly_mul, "poly_", 0},
    {JOB_mul_1, "mul_1", 0},
    {JOB_tdiv_qr, "window", 0},
    {JOB_sqrtrem, "window", 0},
    {JOB_rootrem, "window", 0},
    {JOB_powm, "window", 0},
    {JOB_pow, "window", 0},
    {JOB_fibonacci, "window", 0},
    {JOB_get_str, "text_digits", 0},
    {JOB_get_str, "leaf_get", 0},
    {JOB_set_str, "text_chunks", 0},
    {JOB_set_str, "leaf_set", 0},
    {JOB_product_tree, "batch_mul", 0},
    {JOB_mandelbrot, "mandelbrot_", 0},
};

static void decline_batch(const struct need *n) {
    struct job_case c;
    job_case_make(&c, n->op, 5, 4, n->variant, testing_below(UINT32_MAX));
    job_case_open(&c);
    ck_assert_msg(batch_task_perform(&c.task) == 0, "%s: %s", job_case_name(n->op), mpgpu_error());
    ck_assert_msg(!mpgpu_batch_on_device(c.task.r[0]), "%s: by the device", job_case_name(n->op));
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

static void decline_composite(const struct need *n) {
    struct composite_case c;
    composite_case_make(&c, n->op, 100, COMPOSITE_CASE_PLAIN);
    c.may_be_wrong = true;
    const enum outcome outcome = composite_case_run(&c, job_run, n->kernel);
    ck_assert_msg(outcome == OUTCOME_FAILED, "%s: outcome %d", job_case_name(n->op), outcome);
    composite_case_free(&c);
}

/* Checks that the device declines an operation if a kernel that it needs does nothing: a self-test
 * must find this before the operation launches the kernel. */
START_TEST(declines) {
    open_host(ALGORITHM_AUTO);
    mpgpu_conf.verify = VERIFY_OFF;
    with_device(forget_known, NULL);
    host_lazy = needs[_i].kernel;
    (needs[_i].op < JOB_BATCH_OPS ? decline_batch : decline_composite)(&needs[_i]);
}
END_TEST

/* True if memory_watched.c is linked, which ends a test that reads memory that an idle kernel
 * should have written. */
#if defined(__SANITIZE_ADDRESS__)
enum { IS_WATCHED = false };
#else
enum { IS_WATCHED = true };
#endif

void add_selftests(TCase *tests) {
    if (IS_WATCHED)
        return;
    tcase_add_loop_test(tests, finds_lazy_kernels, 0, sizeof all / sizeof *all);
    tcase_add_loop_test(tests, declines, 0, sizeof needs / sizeof *needs);
}
