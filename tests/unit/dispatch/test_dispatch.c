/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the modules that decide whether a call is sent to the device. These keep a budget of gained
 * and lost time, estimate waits, count threads, and store times in tables. Also tests decisions by
 * real threads. */
#include "config.h"

#include <pthread.h>
#include <time.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/base/thresholds.h"
#include "lib/dispatch/dispatch.h"
#include "tests/support/testing.h"

enum { US = 1000, MS = 1000 * US, LIMBS = 1024, THRESHOLD = 256 };

START_TEST(test_trial_budget) {
    struct trial_budget a = {0};
    int64_t reserved, other;
    trial_budget_add(&a, (int64_t)1 << 50);
    ck_assert_int_eq(trial_budget_balance(&a), TRIAL_BUDGET_CREDIT);
    ck_assert(trial_budget_try(&a, MS, 0, 1, &reserved));
    ck_assert_int_eq(trial_budget_balance(&a), TRIAL_BUDGET_CREDIT - MS);
    ck_assert(!trial_budget_try(&a, 0, 0, 2, &other)); /* only one trial at a time is allowed */
    trial_budget_tried(&a, reserved, 10);
    ck_assert_int_eq(trial_budget_balance(&a), TRIAL_BUDGET_CREDIT);
    ck_assert(!trial_budget_try(&a, 0, 5, 14, &other));
    ck_assert(trial_budget_try(&a, 0, 5, 15, &other));
    /* the thread that runs the trial has never reported the trial's end, so another trial is
     * allowed only 10 s later */
    ck_assert(!trial_budget_try(&a, 0, 0, 9000 * (int64_t)MS, &other));
    ck_assert(trial_budget_try(&a, 0, 0, 11000 * (int64_t)MS, &other));
    trial_budget_tried(&a, other, 15);
    trial_budget_add(&a, -((int64_t)1 << 50));
    ck_assert_int_eq(trial_budget_balance(&a), -TRIAL_BUDGET_DEBT);
    ck_assert(!trial_budget_try(&a, 0, 0, 100, &other));
    struct trial_budget b = {0};
    const int64_t second = 1000 * (int64_t)MS;
    trial_budget_add(&b, -50 * MS);
    trial_budget_reset(&b, second);
    ck_assert_int_eq(trial_budget_balance(&b), 0);
    trial_budget_add(&b, -50 * MS);
    trial_budget_reset(&b, second + second / 2);
    ck_assert_int_eq(trial_budget_balance(&b), -50 * MS);
    trial_budget_reset(&b, 2 * second);
    ck_assert_int_eq(trial_budget_balance(&b), 0);
    /* slow trials double the gap, at most TRIAL_BUDGET_DOUBLINGS times */
    struct trial_budget c = {0};
    for (int64_t k = 0, now = second; k < 10; k++) {
        const int64_t doublings = k <= TRIAL_BUDGET_DOUBLINGS ? k : TRIAL_BUDGET_DOUBLINGS;
        ck_assert(trial_budget_try(&c, 0, 0, now, &reserved));
        trial_budget_tried(&c, reserved, now);
        trial_budget_judge(&c, false);
        now += (int64_t)TRIAL_BUDGET_GAP << doublings;
        ck_assert(!trial_budget_try(&c, 0, 0, now - 1, &other));
    }
}
END_TEST

START_TEST(test_load) {
    struct load l = {{0}};
    for (int i = 0; i < 50; i++)
        load_observe(&l, 4, 1000, 100, false);
    ck_assert_int_eq(load_get(&l, 3), 0);
    ck_assert_int_ge(load_get(&l, 4), 990);
    ck_assert_int_eq(load_get(&l, 100), load_get(&l, 4));
    for (int i = 0; i < 50; i++)
        load_observe(&l, 6, 100, 100, false);
    for (int i = 0; i < LOAD_LEVELS; i++)
        ck_assert_int_le(load_get(&l, i), load_get(&l, i + 1));
    ck_assert_int_le(load_get(&l, 4), 110);
    load_observe(&l, 0, 1000000, 100, false);
    ck_assert_int_ge(load_get(&l, 0), 500000);
    ck_assert_int_ge(load_get(&l, 9), 500000);
    load_observe(&l, 0, 0, 100, true);
    ck_assert_int_le(load_get(&l, 0), 250000);
    ck_assert_int_le(load_get(&l, 9), 250000);
}
END_TEST

START_TEST(test_active_threads) {
    struct active_threads c = {0};
    ck_assert(active_threads_is_one(&c, 1, MS) && active_threads_is_one(&c, 1, 2 * MS));
    ck_assert(!active_threads_is_one(&c, 2, 3 * MS));
    ck_assert(!active_threads_is_one(&c, 1, 3 * MS + 1) && !active_threads_is_one(&c, 2, 10 * MS));
    ck_assert(active_threads_is_one(&c, 2, 25 * MS));
    int64_t seen[3] = {0};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(active_threads_count(&c, &seen[i], 100 * MS + i), i + 1);
    /* the three threads of the previous time window count, too */
    ck_assert_int_eq(active_threads_count(&c, &seen[0], 110 * MS), 3);
    ck_assert_int_eq(active_threads_count(&c, &seen[0], 125 * MS), 1);
}
END_TEST

/* The test's substitute for a profile: GMP needs 100 us for a product of LIMBS limbs, and
 * proportional times for other lengths. */
static uint64_t gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs) {
    (void)p;
    return kind == PROFILE_mul ? (uint64_t)(100 * US) * limbs / LIMBS : 0;
}

/* All sizes above a power of two, up to the next power of two, must have the same table entry. */
START_TEST(test_entries) {
    static struct call_costs entries, *const t = &entries;
    struct call_cost_key a = {PROFILE_mul, 1024, 2048, 1}, b = {PROFILE_mul, 1000, 2000, 1},
                         c = {PROFILE_mul, 1025, 2050, 1}, d = {PROFILE_sqr, 1024, 2048, 1},
                         e = {PROFILE_mul, 1024, 8192, 1},
                         huge = {PROFILE_mul, SIZE_MAX, SIZE_MAX, 1}, none = {PROFILE_mul, 1, 0, 1};
    ck_assert_ptr_eq(call_costs_find(t, &a), call_costs_find(t, &b));
    ck_assert_ptr_ne(call_costs_find(t, &a), call_costs_find(t, &c));
    ck_assert_ptr_ne(call_costs_find(t, &a), call_costs_find(t, &d));
    ck_assert_ptr_ne(call_costs_find(t, &a), call_costs_find(t, &e));
    ck_assert_ptr_eq(call_costs_find(t, &none), &t->entry[PROFILE_mul][0][0]);
    ck_assert_ptr_eq(call_costs_find(t, &huge), &t->entry[PROFILE_mul][CALL_COST_SIZES - 1][0]);
    /* 1024 limbs are the greatest size of their table entry */
    call_costs_use_profile(t, NULL, gmp_ns);
    ck_assert_int_eq(call_cost_gmp(t, call_costs_find(t, &a), &a), 100 * US);
    ck_assert_int_eq(call_cost_gmp(t, call_costs_find(t, &e), &e), 700 * US);
}
END_TEST

/* Function of a thread, with a real clock. Begins composite operations, each with a square inside,
 * and counts the squares that the library sends to the device. */
static void *ask_often(void *argument) {
    unsigned long *sent = argument;
    struct dispatch_call call, inner;
    for (int i = 0; i < 3000; i++) {
        enum outcome outcome = dispatch_begin_composite(&call, &thresholds.div, LIMBS, 3 * LIMBS);
        if (dispatch_begin(&inner, &thresholds.sqr, LIMBS, LIMBS) == OUTCOME_DONE)
            (*sent)++;
        struct timespec pause = {0, i % 10 == 0 ? 100 * US : 0};
        nanosleep(&pause, NULL);
        dispatch_end(&inner, inner.is_asked ? inner.call.answer : OUTCOME_DONE);
        dispatch_end(&call, outcome);
    }
    return NULL;
}

/* Checks that all calls are sent to the device if the user has set a threshold, or with
 * dispatch:fixed. */
START_TEST(test_threads) {
    pthread_t thread[8];
    unsigned long sent[8] = {0}, all = 0;
    struct dispatch_numbers numbers;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set((enum profile_threshold)i, THRESHOLD);
    stats_on = true; /* counts are exact */
    mpgpu_conf.dispatch = _i == 0 ? DISPATCH_AUTO : DISPATCH_FIXED;
    mpgpu_conf.sqr = mpgpu_conf.mul = _i == 1 ? MPGPU_UNSET : 1;
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_often, &sent[i]), 0);
    for (int i = 0; i < 8; i++) {
        dispatch_warm_up();
        pthread_join(thread[i], NULL);
        all += sent[i];
    }
    dispatch_ask(&numbers);
    ck_assert_int_eq(numbers.is_fixed, _i == 1);
    ck_assert_uint_eq(numbers.busy, 0);
    ck_assert_uint_eq(all, 8 * 3000);
}
END_TEST

/* With automatic decisions, the library must also count the calls that it does not send to the
 * device. */
START_TEST(test_threads_count) {
    pthread_t thread[8];
    unsigned long sent[8] = {0}, all = 0;
    struct dispatch_numbers numbers;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set((enum profile_threshold)i, THRESHOLD);
    stats_on = true;
    mpgpu_conf.dispatch = DISPATCH_AUTO;
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_often, &sent[i]), 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        all += sent[i];
    }
    dispatch_ask(&numbers);
    ck_assert(!numbers.is_fixed);
    ck_assert_uint_ge(numbers.busy + numbers.samples, 8 * 3000 - all);
    ck_assert_uint_ge(all, 1);
}
END_TEST

/* Checks that the size alone decides if an option sets the call's threshold, or the threshold from
 * which the call's threshold is derived. */
START_TEST(test_options) {
    const struct {
        size_t *option;
        const _Atomic size_t *threshold;
    } all[] = {
        {&mpgpu_conf.mul, &thresholds.mul},       {&mpgpu_conf.mul, &thresholds.div},
        {&mpgpu_conf.sqr, &thresholds.sqr},       {&mpgpu_conf.sqr, &thresholds.pow},
        {&mpgpu_conf.mulmod, &thresholds.mulmod}, {&mpgpu_conf.mul, &thresholds.mulmod},
        {&mpgpu_conf.add, &thresholds.add},       {&mpgpu_conf.batch, &thresholds.batch},
    };
    struct dispatch_call call;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dispatch_begin(&call, all[i].threshold, LIMBS, LIMBS);
        ck_assert_msg(call.is_asked, "%zu: without the option", i);
        dispatch_end(&call, OUTCOME_NONE);
        *all[i].option = THRESHOLD;
        ck_assert_int_eq(dispatch_begin(&call, all[i].threshold, LIMBS, LIMBS), OUTCOME_DONE);
        ck_assert_msg(!call.is_asked, "%zu: with the option", i);
        dispatch_end(&call, OUTCOME_NONE);
        *all[i].option = MPGPU_UNSET;
    }
}
END_TEST

int main(void) {
    return testing_main("dispatch", 120,
                        TESTS(ONCE(test_trial_budget), ONCE(test_load), ONCE(test_active_threads),
                              ONCE(test_entries), LOOP(test_threads, 2), ONCE(test_threads_count),
                              ONCE(test_options)));
}
