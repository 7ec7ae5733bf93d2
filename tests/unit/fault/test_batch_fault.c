/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches on a device that fails: whatever an operation says it has done is GMP's result.  A life
 * is: open a device, compute with batches, close it.  Each call of a life fails once, and then
 * nothing is lost; several fail, or one never comes back: then a batch may be lost, and says so. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { N = 9, COUNT = 5, ALL = N * COUNT };

static mp_limb_t u[ALL], v[ALL], sum[ALL], carries[COUNT], product[2 * ALL], low[ALL],
    orders[COUNT], greater[ALL], value[ALL];
static mpgpu_expression *expression; /* x y + y, of low halves */

/* Long runs of ones and zeros, with other limbs between; no random numbers of GMP's, before whose
 * first the options have to be there. */
static void fill(mp_limb_t *x, mp_limb_t seed) {
    for (size_t i = 0; i < ALL; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

/* What is right: u + v, (u + v) v, the low limbs of that, how u + v and v compare, and u + v where
 * it is not v; and the low limbs plus v. */
static void prepare(void) {
    fill(u, 1);
    fill(v, 2);
    for (size_t i = 0; i < COUNT; i++) {
        carries[i] = real.__gmpn_add_n(sum + i * N, u + i * N, v + i * N, N);
        real.mpn_mul_n(product + 2 * i * N, sum + i * N, v + i * N, N);
        memcpy(low + i * N, product + 2 * i * N, N * sizeof *low);
        real.__gmpn_add_n(value + i * N, low + i * N, v + i * N, N);
        int order = mpn_cmp(sum + i * N, v + i * N, N);
        orders[i] = order > 0 ? 1 : order < 0 ? ~(mp_limb_t)0 : 0;
        memcpy(greater + i * N, (order ? sum : v) + i * N, N * sizeof *greater);
    }
}

static void record(void) {
    ck_assert_ptr_nonnull(expression = mpgpu_expression_create(2));
    mpgpu_expression_result(
        expression, mpgpu_expression_add(expression, mpgpu_expression_mullo(expression, 0, 1), 1));
    ck_assert_int_eq(mpgpu_expression_finish(expression), 0);
}

static char *plan_text(void) {
    static char text[120];
    snprintf(text, sizeof text, "call %ld every %ld status %d launch %ld", fault_plan.call,
             fault_plan.every, fault_plan.status, fault_plan.launch);
    return text;
}

/* Batches that were lost in this life; may_lose: that is no error. */
static int lost, may_lose;

static int is_done(int error) {
    ck_assert_msg(error == 0 || (may_lose && error == MPGPU_LOST), "error %d (%s): %s", error,
                  mpgpu_error(), plan_text());
    lost += error != 0;
    return error == 0;
}

static void expect(mpgpu_batch *b, const mp_limb_t *right, const char *what) {
    mp_limb_t got[2 * ALL];
    size_t bytes = mpgpu_batch_count(b) * mpgpu_batch_limbs(b) * sizeof *got;
    if (is_done(mpgpu_batch_get(got, b)))
        ck_assert_msg(memcmp(got, right, bytes) == 0, "%s: wrong: %s", what, plan_text());
}

/* Products of the sum, which is in b[0]. */
static void multiply(mpgpu_batch *const b[5]) {
    if (is_done(mpgpu_batch_mul(b[3], b[0], b[1])))
        expect(b[3], product, "product");
    if (is_done(mpgpu_batch_mullo(b[4], b[0], b[1])))
        expect(b[4], low, "low product");
    if (is_done(mpgpu_expression_run(expression, &b[4], b)))
        expect(b[4], value, "expression");
    expect(b[0], sum, "operand");
    expect(b[1], v, "operand");
}

static void order(mpgpu_batch *const b[5]) {
    if (is_done(mpgpu_batch_cmp(b[2], b[0], b[1]))) {
        expect(b[2], orders, "comparison");
        if (is_done(mpgpu_batch_select(b[4], b[2], b[0], b[1])))
            expect(b[4], greater, "selection");
    }
}

static void operate(mpgpu_batch *const b[5]) {
    is_done(mpgpu_batch_set(b[0], u));
    is_done(mpgpu_batch_set(b[1], v));
    if (is_done(mpgpu_batch_add(b[0], b[2], b[0], b[1]))) { /* in place */
        expect(b[0], sum, "sum");
        expect(b[2], carries, "carries");
        multiply(b);
        order(b);
    }
    is_done(mpgpu_batch_set(b[1], u)); /* what was lost is there again */
    expect(b[1], u, "what was set");
}

static void compute(void) {
    mp_limb_t rp[2 * ALL];
    mpgpu_batch *const b[] = {mpgpu_batch_create(COUNT, N), mpgpu_batch_create(COUNT, N),
                              mpgpu_batch_create(COUNT, 1), mpgpu_batch_create(COUNT, 2 * N),
                              mpgpu_batch_create(COUNT, N)};
    lost = 0;
    operate(b);
    ck_assert_int_eq(mpgpu_batch_mul_n(rp, sum, v, N, COUNT), 0);
    ck_assert_msg(memcmp(rp, product, sizeof rp) == 0, "in one call: wrong: %s", plan_text());
    for (int i = 0; i < 5; i++)
        mpgpu_batch_destroy(b[i]);
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    compute();
}

/* A life without faults; the number of its calls. */
static long begin(int i) {
    setenv("MPGPU_CONF", "open:wait,batch:1,mul:never,sqr:never,add:never", 1);
    fault_plan.real = reals[i];
    call_init();
    prepare();
    record();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, 7);
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens\n", reals[i]->name, calls, opening_calls);
    die();
    check_dead(plan_text());
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i);
    for (long call = opening_calls + 1; call <= calls; call++)
        for (int k = 0; k < STATUSES; k++) {
            live((struct fault_plan){.call = call, .status = statuses[k]});
            ck_assert_int_eq(fault_count.faults, 1);
            die();
            check_dead(plan_text());
        }
}
END_TEST

START_TEST(calls_keep_failing) {
    long calls = begin(_i);
    keeps_memory = may_lose = 1;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live_and_keep_failing(call, compute);
    }
}
END_TEST

/* Given up in time; also where it was before, on a busy machine. */
START_TEST(each_call_hangs) {
    long calls = begin(_i);
    keeps_memory = may_lose = 1;
    mpgpu_conf.watchdog = 0.05;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live_and_hang(call, compute);
    }
}
END_TEST

/* The first word of what a launch makes is wrong: in a known answer, which ends the device's use,
 * or in a result, whose check finds it. */
START_TEST(each_wrong_launch_is_found) {
    int found = 0;
    begin(_i);
    live((struct fault_plan){0});
    long first = opening_launches + 1, last = fault_count.launches;
    die();
    for (long launch = first; launch <= last; launch++)
        for (unsigned long bit = 0; bit < 32; bit += 7) {
            live((struct fault_plan){.launch = launch, .bit = bit});
            found += session_faults() > 0;
            die();
            check_dead(plan_text());
        }
    printf("%d found of %ld\n", found, 5 * (last - first + 1));
    ck_assert_int_eq(found, 5 * (last - first + 1));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, each_call_fails, 0, real_count);
    tcase_add_loop_test(tests, calls_keep_failing, 0, real_count);
    tcase_add_loop_test(tests, each_call_hangs, 0, real_count);
    tcase_add_loop_test(tests, each_wrong_launch_is_found, 0, real_count);
}

int main(void) {
    gpu_use_kernels_of_gpus(); /* expressions in one launch */
    session_open_any();
    return run_on_real_backends("batch_fault", add_tests);
}
