/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mpgpu-tune. With simulated times, tests its searches for thresholds. With a mock device,
 * tests that it notices wrong results. */
#include <string.h>

#include "lib/base/conf.h"
#include "lib/multiply/product.h"
#include "lib/session/session.h"
#include "tests/support/capture.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"
#include "tools/tune/tune.h"

/* ---- made-up times */

/* Simulated times. Option i (way to compute) takes fixed[i] + size * slope[i] seconds, with a
 * random relative error of up to `noise`. Option 1 fails for sizes of `fails` or more. */
static struct timings {
    double fixed[4], slope[4], noise;
    size_t fails;
    int options, calls, ends_at;
} timings;

static int make_up(void *context, struct tune_point *point) {
    struct timings *w = context;
    for (int i = 0; i < w->options; i++) {
        double noise = 1 + w->noise * ((double)testing_below(2001) / 1000 - 1);
        point->seconds[i] = (w->fixed[i] + w->slope[i] * (double)point->size) * noise;
    }
    if (w->fails && point->size >= w->fails)
        point->seconds[1] = -1;
    return ++w->calls == w->ends_at ? 7 : 0;
}

static const struct tune_range range = {32, 1 << 20, 1, 8};
static struct tune_curve curve;
static const char *why;

static size_t threshold(double margin) {
    size_t limbs;
    timings.options = 2;
    timings.calls = 0;
    ck_assert_int_eq(tune_threshold(&range, margin, make_up, &timings, &curve, &limbs, &why), 0);
    for (int i = 1; i < curve.points; i++)
        ck_assert_uint_lt(curve.point[i - 1].size, curve.point[i].size);
    ck_assert_int_eq(curve.points, timings.calls); /* no size twice */
    return limbs;
}

/* GMP takes 1 us a limb; the device takes `fixed` us for a call and 0.1 us a limb. The search must
 * find the size at which both take the same time. */
START_TEST(finds_where_they_cross) {
    for (double fixed = 90; fixed < 200000; fixed *= 1.37) {
        timings = (struct timings){.fixed = {0, fixed * 1e-6}, .slope = {1e-6, 1e-7}};
        double cross = fixed / 0.9;
        size_t limbs = threshold(0);
        ck_assert_msg((double)limbs >= cross && (double)limbs <= cross * 1.13 + 1, "%g: %zu", cross,
                      limbs);
        ck_assert_str_eq(why, "clearly faster");
        ck_assert_int_le(timings.calls, 60);
    }
}
END_TEST

START_TEST(margin_moves_it_up) {
    timings = (struct timings){.fixed = {0, 900e-6}, .slope = {1e-6, 0.5e-6}};
    size_t plain = threshold(0), cautious = threshold(0.2);
    ck_assert(plain >= 1800 && plain < 2100);
    /* 2700 limbs: with a margin of 20 %, n limbs must satisfy 1.2 (900 + n/2) <= n */
    ck_assert(cautious >= 2600 && cautious < 3100);
}
END_TEST

START_TEST(noise_does_not_move_it_far) {
    for (int i = 0; i < 200; i++) {
        timings = (struct timings){.fixed = {0, 900e-6}, .slope = {1e-6, 1e-7}, .noise = 0.1};
        size_t limbs = threshold(0.04);
        ck_assert_msg(limbs > 700 && limbs < 1700, "%zu", limbs);
    }
}
END_TEST

START_TEST(never_and_always) {
    timings = (struct timings){.fixed = {0, 1e-6}, .slope = {1e-7, 1e-6}};
    ck_assert_uint_eq(threshold(0), MPGPU_NEVER);
    ck_assert_str_eq(why, "a call takes too long for more");
    timings = (struct timings){.fixed = {0, 0}, .slope = {1e-7, 1.01e-7}};
    ck_assert_uint_eq(threshold(0), MPGPU_NEVER);
    ck_assert_str_eq(why, "the largest size");
    timings = (struct timings){.fixed = {0, 0}, .slope = {1e-6, 1.001e-6}}; /* within the margin */
    ck_assert_uint_eq(threshold(0.04), MPGPU_NEVER);
    timings = (struct timings){.fixed = {1e-3, 0}, .slope = {1e-6, 1e-7}};
    ck_assert_uint_eq(threshold(0), 32);
    ck_assert_int_eq(timings.calls, 2);
}
END_TEST

START_TEST(what_cannot_be_done_is_not_chosen) {
    timings = (struct timings){.fixed = {0, 1e-6}, .slope = {1e-6, 1e-9}, .fails = 1};
    ck_assert_uint_eq(threshold(0), MPGPU_NEVER);
}
END_TEST

START_TEST(timer_ends_it) {
    size_t limbs = 5;
    for (int at = 1; at < 20; at++) {
        timings = (struct timings){.fixed = {0, 900e-6}, .slope = {1e-6, 1e-7}, .options = 2};
        timings.ends_at = at;
        ck_assert_int_ne(tune_threshold(&range, 0, make_up, &timings, &curve, &limbs, &why), 0);
        ck_assert_uint_eq(limbs, MPGPU_NEVER);
        ck_assert_int_eq(timings.calls, at);
    }
}
END_TEST

static struct profile_step step[PROFILE_MOST_STEPS];

static int choices(int options, double margin) {
    int steps;
    timings.options = options;
    timings.calls = 0;
    ck_assert_int_eq(tune_choices(&range, options, margin, make_up, &timings, &curve, step, &steps),
                     0);
    ck_assert_int_ge(steps, 1);
    ck_assert_uint_eq(step[0].limbs, 1);
    for (int i = 1; i < steps; i++)
        ck_assert(step[i].limbs > step[i - 1].limbs && step[i].algorithm != step[i - 1].algorithm);
    return steps;
}

START_TEST(several_options) {
    timings = (struct timings){.fixed = {0, 100e-6, 1000e-6}, .slope = {1e-6, 0.5e-6, 0.2e-6}};
    /* option 1 is the fastest from 200 limbs on, option 2 from 3000 limbs on */
    ck_assert_int_eq(choices(3, 0.02), 3);
    ck_assert_int_eq(step[0].algorithm, 0);
    ck_assert_int_eq(step[1].algorithm, 1);
    ck_assert_int_eq(step[2].algorithm, 2);
    ck_assert(step[1].limbs >= 180 && step[1].limbs <= 230);
    ck_assert(step[2].limbs >= 2700 && step[2].limbs <= 3400);
}
END_TEST

/* If two options differ only by noise, the search must choose only one of them, for all sizes. */
START_TEST(no_change_for_nothing) {
    for (int i = 0; i < 50; i++) {
        timings = (struct timings){.fixed = {1e-6, 1e-6}, .slope = {1e-6, 1e-6}, .noise = 0.005};
        ck_assert_int_eq(choices(2, 0.02), 1);
    }
}
END_TEST

START_TEST(an_option_ends) {
    timings = (struct timings){.fixed = {50e-6, 1e-6}, .slope = {1e-6, 0.5e-6}, .fails = 300};
    ck_assert_int_eq(choices(2, 0.02), 2);
    ck_assert_int_eq(step[0].algorithm, 1);
    ck_assert_int_eq(step[1].algorithm, 0);
    ck_assert(step[1].limbs >= 300 && step[1].limbs <= 340);
    /* the search must measure no larger size than necessary */
    ck_assert_uint_eq(curve.point[curve.points - 1].size, step[1].limbs);
}
END_TEST

/* ---- checks and measurements with a mock device */

void session_use_profile(const struct profile *p) {
    (void)p;
}

bool __wrap_product_serves(int algorithm, uint64_t un, uint64_t vn);
bool __wrap_product_serves(int algorithm, uint64_t un, uint64_t vn) {
    return algorithm == ALGORITHM_NTT && un == vn;
}

static struct profile profile;

enum answer { RIGHT, WRONG, NOT_DONE };

static enum answer check(int which, size_t n) {
    static const int way = ALGORITHM_AUTO;
    struct work w;
    bool can = true, is_right;
    profile_clear(&profile);
    for (int i = 0; i <= PROFILE_batch; i++)
        profile.value[i] = 20;
    ck_assert_int_eq(tune_open(&w, &work_operations[which], n), 1);
    w.shape = TIMING_RUNS;
    ck_assert(tune_check(&w, &profile, &way, 1, &can, &is_right));
    work_close(&w);
    return !is_right ? WRONG : can ? RIGHT : NOT_DONE;
}

START_TEST(right) {
    /* each threshold must have an operation that the tool measures */
    ck_assert_ptr_nonnull(work_operations[_i].run);
    ck_assert_int_eq(work_operations[_i].threshold, _i);
    for (size_t n = _i < PROFILE_fac ? 60 : 300; n < 500; n += 37)
        ck_assert_int_eq(check(_i, n), RIGHT);
}
END_TEST

/* The mock device returns results with a wrong bit, and the library checks none of them. The tool
 * itself must notice the wrong result. */
START_TEST(wrong) {
    mpgpu_conf.verify = VERIFY_OFF;
    mock.behaviour = ERRS;
    ck_assert_int_eq(check(_i, 300), WRONG);
}
END_TEST

START_TEST(no_memory) {
    static const int way = ALGORITHM_AUTO;
    struct work w;
    bool can = true, is_right;
    ck_assert(tune_open(&w, &work_operations[PROFILE_mul], 300));
    w.n = (size_t)1 << 55;
    ck_assert(!tune_check(&w, &profile, &way, 1, &can, &is_right));
    work_close(&w);
}
END_TEST

START_TEST(not_done) {
    mock.behaviour = FAILS;
    ck_assert_int_eq(check(_i, 100), NOT_DONE);
}
END_TEST

START_TEST(times) {
    static const int way[] = {TUNE_GMP, ALGORITHM_AUTO, ALGORITHM_SSA};
    static const bool can[] = {true, true, false};
    struct work w;
    struct timing_budget budget = {.least = 3, .most = 3};
    double seconds[3];
    profile_clear(&profile);
    ck_assert_int_eq(tune_open(&w, &work_operations[PROFILE_mul], 4000), 1);
    ck_assert_int_eq(tune_time(&w, &profile, &budget, way, 3, can, seconds), 1);
    work_close(&w);
    ck_assert(seconds[0] > 0 && seconds[1] > 0 && seconds[2] < 0);
    ck_assert_int_eq(mock.calls, 3);
}
END_TEST

/* ---- the whole tool */

static struct tuner tuner;

static int find(void) {
    profile_clear(&tuner.profile);
    tuner.options.quick = 1;
    return tuner_find(&tuner);
}

START_TEST(finds_all) {
    ck_assert_int_eq(find(), 0);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++) {
        ck_assert_int_eq(tuner.finding[i].is_done, tuner.profile.value[i] != MPGPU_UNSET);
        /* in a quick search the tool must not conclude that the device is never faster */
        ck_assert(tuner.profile.value[i] != MPGPU_NEVER);
    }
    /* product_serves, as wrapped, leaves only one algorithm to choose */
    for (int k = 0; k < PROFILE_CHOICES; k++) {
        ck_assert_int_eq(tuner.profile.choice[k].steps, 1);
        ck_assert_int_eq(tuner.profile.choice[k].step[0].algorithm, ALGORITHM_NTT);
    }
    ck_assert_int_eq(mpgpu_conf.algorithm, ALGORITHM_AUTO);
    for (int k = 0; k < PROFILE_COSTS; k++) {
        ck_assert_int_ge(tuner.profile.cost[k].steps, 1);
        ck_assert_uint_eq(tuner.profile.cost[k].step[0].limbs, 64);
    }
}
END_TEST

/* Returns true if measured times are plausible: they increase with the size, and a division takes
 * longer than a square of the same size. */
static bool costs_are_plausible(void) {
    bool are = true;
    for (int k = 0; k < PROFILE_COSTS; k++) {
        const struct profile_cost *c = &tuner.profile.cost[k];
        are = are && c->steps >= 2 && c->step[0].ns > 100;
        for (int i = 1; i < c->steps; i++)
            are = are && c->step[i].ns > c->step[i - 1].ns;
    }
    return are && profile_gmp_ns(&tuner.profile, PROFILE_div, 1000) >
                      profile_gmp_ns(&tuner.profile, PROFILE_sqr, 1000);
}

/* Measures times on the real machine, where another program may interrupt this one for longer than
 * a call takes. So the test measures again, up to TRIALS times, until the times are plausible. */
START_TEST(costs_grow) {
    enum { TRIALS = 20 };
    int trial = 0;
    tuner.options.quick = 1;
    tuner.budget = (struct timing_budget){.seconds = 0.002, .warm = 1, .least = 5, .most = 15};
    do {
        profile_clear(&tuner.profile);
        ck_assert_int_eq(tuner_find_costs(&tuner), 0);
    } while (!costs_are_plausible() && ++trial < TRIALS);
    ck_assert_int_lt(trial, TRIALS);
}
END_TEST

START_TEST(wrong_result_ends_it) {
    mpgpu_conf.verify = VERIFY_OFF;
    mock.behaviour = ERRS;
    capture_begin();
    ck_assert_int_eq(find(), 1);
    ck_assert_contains(capture_end(), "WRONG RESULT: product of 32 limbs is not GMP's");
}
END_TEST

START_TEST(lost_device_ends_it) {
    mock.behaviour = FAILS;
    mock.readiness = OUTCOME_NONE;
    capture_begin();
    ck_assert_int_eq(find(), 1);
    ck_assert_contains(capture_end(), "the device has failed (mock)");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("tune");
    TCase *searches = tcase_create("searches");
    tcase_add_test(searches, finds_where_they_cross);
    tcase_add_test(searches, margin_moves_it_up);
    tcase_add_test(searches, noise_does_not_move_it_far);
    tcase_add_test(searches, never_and_always);
    tcase_add_test(searches, what_cannot_be_done_is_not_chosen);
    tcase_add_test(searches, timer_ends_it);
    tcase_add_test(searches, several_options);
    tcase_add_test(searches, no_change_for_nothing);
    tcase_add_test(searches, an_option_ends);
    suite_add_tcase(suite, searches);
    TCase *operations = tcase_create("operations");
    tcase_add_loop_test(operations, right, 0, PROFILE_THRESHOLDS);
    tcase_add_loop_test(operations, wrong, 0, PROFILE_div);
    tcase_add_loop_test(operations, wrong, PROFILE_pow, PROFILE_root);
    tcase_add_test(operations, no_memory);
    tcase_add_loop_test(operations, not_done, 0, PROFILE_THRESHOLDS);
    tcase_add_test(operations, times);
    suite_add_tcase(suite, operations);
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, finds_all);
    tcase_add_test(all, costs_grow);
    tcase_add_test(all, wrong_result_ends_it);
    tcase_add_test(all, lost_device_ends_it);
    suite_add_tcase(suite, all);
    return testing_run(suite);
}
