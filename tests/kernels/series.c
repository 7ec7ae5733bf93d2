/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches in series on the host's kernels, beside GMP: all that a list has, by device numbers; and
 * groups that do not run at the same time. */
#include "kernels/series/series.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_factor.h"
#include "lib/calc/calc_head.h"
#include "lib/device/series.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"

struct numbers {
    size_t n; /* limbs of an operand */
    mp_limb_t *u, *v, *r;
};

/* p = u v, made in three ways; where p >= u^2, less that; then {p / 2^37} inverted. */
static void compute(struct calc *c, void *numbers) {
    struct numbers *t = numbers;
    const uint64_t words = 2 * t->n;
    struct number u = calc_operand(c, t->u, t->n, words), v = calc_operand(c, t->v, t->n, words);
    struct number p = calc_take(c, 2 * words), square = calc_take(c, 2 * words + CALC_QUAD);
    struct number kept = calc_take(c, 2 * words), r = calc_take(c, 2 * words);
    struct number none = number_part(p, 0, 0);
    calc_mul(c, p, u, v);
    calc_demand_product(c, p, u, v, none);
    calc_mul(c, square, u, u);
    calc_demand_reduced(c, u, u, u, u, none);
    struct calc_factor f = calc_factor_make(c, 0, v, words, 0);
    calc_factor_mul(c, kept, u, &f);
    struct number ring = calc_mul_wrapped(c, words + CALC_QUAD, u, v);
    calc_add(c, ring, ring, calc_one(c));
    calc_sub(c, kept, kept, p);
    square = number_part(square, 0, 2 * words);
    calc_add(c, square, square, kept);
    calc_demand_less(c, kept, u);
    calc_reduce(c, p, p, square);
    calc_shift(c, r, p, 37, true);
    calc_download(c, t->r, r, 2 * t->n);
}

static enum gpu_status run(struct context *s, void *numbers) {
    s->dev.caps.compute_units = host_units;
    ck_assert_int_eq(calc_run(s, compute, numbers), GPU_OK);
    ck_assert(s->dev.caps.series == (host_units == 1));
    return GPU_OK;
}

static void by_gmp(mpz_t r, const struct numbers *t) {
    mpz_t u, v, bits;
    mpz_inits(u, v, bits, NULL);
    mpz_import(u, t->n, -1, sizeof *t->u, 0, 0, t->u);
    mpz_import(v, t->n, -1, sizeof *t->v, 0, 0, t->v);
    mpz_mul(r, u, v);
    mpz_mul(u, u, u);
    if (mpz_cmp(r, u) >= 0)
        mpz_sub(r, r, u);
    mpz_tdiv_q_2exp(r, r, 37);
    mpz_setbit(bits, 128 * t->n);
    mpz_sub_ui(bits, bits, 1);
    mpz_sub(r, bits, r);
    mpz_clears(u, v, bits, NULL);
}

static void compare(size_t n) {
    struct numbers t = {n, limbs(n), limbs(n), limbs(2 * n)};
    mpz_t right, result;
    mpz_inits(right, result, NULL);
    testing_limbs(t.u, n);
    testing_limbs(t.v, n);
    with_device(run, &t);
    by_gmp(right, &t);
    mpz_import(result, 2 * n, -1, sizeof *t.r, 0, 0, t.r);
    ck_assert_msg(mpz_cmp(result, right) == 0, "%zu limbs", n);
    mpz_clears(right, result, NULL);
    free(t.u), free(t.v), free(t.r);
}

START_TEST(numbers_in_series) {
    open_host("auto");
    compare(2000);
    compare(4096);
    compare(6001);
}
END_TEST

/* Transforms by the other programs. */
START_TEST(longer_numbers) {
    open_host("auto");
    compare(1 << 13 << _i);
}
END_TEST

/* Two groups, one after the other: the first waits in vain.  The self-test finds that. */
START_TEST(groups_that_leave) {
    host_units = 2;
    open_host("auto");
    compare(2000);
    compare(2000);
}
END_TEST

/* Once that is passed, an operation does, and is done again. */
START_TEST(groups_that_leave_an_operation) {
    open_host("auto");
    compare(2000);
    host_units = 2;
    compare(2000);
    compare(2000);
}
END_TEST

/* Launches that no list on the device has room for: no more are kept than fit into one. */
static enum gpu_status launch_without_memory(struct context *s, void *unused) {
    const struct gpu_arg arg = gpu_arg_u32(0);
    enum gpu_status status = GPU_OK;
    (void)unused;
    series_begin(s);
    mpgpu_conf.memory = 1;
    for (int i = 0; i < 2 * SERIES_MOST; i++)
        ck_assert(series_keeps(s, GPU_KERNEL_addsub_addsub, launch_row(1), &arg, 1, &status));
    ck_assert_int_eq(status, GPU_NOMEM);
    ck_assert_int_eq(series_end(s), GPU_NOMEM);
    mpgpu_conf.memory = 0;
    return GPU_OK;
}

START_TEST(lists_without_memory) {
    open_host("auto");
    with_device(launch_without_memory, NULL);
    compare(2000);
    compare(2000);
}
END_TEST

void add_series(TCase *tests) {
    tcase_add_test(tests, numbers_in_series);
    tcase_add_loop_test(tests, longer_numbers, 0, 3);
    tcase_add_test(tests, groups_that_leave);
    tcase_add_test(tests, groups_that_leave_an_operation);
    tcase_add_test(tests, lists_without_memory);
}
