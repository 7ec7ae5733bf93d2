/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that the library's self-tests notice kernels that do nothing. */
#include "lib/fixed/mandelbrot.h"
#include "lib/fixed/operations.h"
#include "lib/modular/euclid_plan.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"

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

/* True if memory_watched.c is linked, which ends a test that reads memory that an idle kernel
 * should have written. */
#if defined(__SANITIZE_ADDRESS__)
enum { IS_WATCHED = false };
#else
enum { IS_WATCHED = true };
#endif

void add_selftests(TCase *tests) {
    if (!IS_WATCHED)
        tcase_add_loop_test(tests, finds_lazy_kernels, 0, sizeof all / sizeof *all);
}
