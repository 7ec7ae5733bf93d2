/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the time measurement of the tools: rounds, time budgets, medians, failures, operands. */
#include <string.h>

#include "lib/base/stats.h"
#include "tests/support/testing.h"
#include "tools/timing.h"

/* A simulated clock, which only the tasks advance, so that other programs on the machine do not
 * disturb the measurement. */
static double now;

double __wrap_stats_clock(void);
double __wrap_stats_clock(void) {
    return now;
}

/* A task that advances the clock by `microseconds`, by 20 times as much in every third run. It
 * fails in run number `fails_at`. */
struct waiter {
    int prepared, runs, fails_at;
    unsigned microseconds;
};

static int prepare(void *context) {
    ((struct waiter *)context)->prepared++;
    return 0;
}

static int wait_long(void *context) {
    struct waiter *w = context;
    ck_assert_int_eq(w->prepared, ++w->runs);
    now += 1e-6 * (w->runs % 3 == 0 ? 20 * w->microseconds : w->microseconds);
    return w->runs == w->fails_at;
}

static void measure(struct waiter *waiters, int count, struct timing_budget budget, int failures,
                    struct timing *times) {
    struct timing_task tasks[4];
    for (int i = 0; i < count; i++)
        tasks[i] = (struct timing_task){prepare, wait_long, &waiters[i], 1};
    ck_assert_int_eq(timing_measure(tasks, count, &budget, times), failures);
}

START_TEST(median_is_not_moved_by_some) {
    struct waiter w = {.microseconds = 1000};
    struct timing t;
    measure(&w, 1, (struct timing_budget){0, 0, 9, 9, 0}, 0, &t);
    ck_assert_int_eq(t.runs, 9);
    ck_assert(t.low > 0.9e-3 && t.low <= t.median && t.median <= t.high);
    ck_assert_msg(t.median < 1.1e-3, "%g", t.median);
}
END_TEST

START_TEST(budget_counts_for_each_task) {
    struct waiter w[] = {{.microseconds = 30000}, {.microseconds = 100}};
    struct timing t[2];
    measure(w, 2, (struct timing_budget){0.02, 2, 3, 40, 0}, 0, t);
    ck_assert_int_eq(t[0].runs, 3);
    ck_assert_int_eq(w[0].runs, 5);
    /* the counted runs take 2, 0.1 and 0.1 ms in turn, so the budget of 20 ms ends with run 28 */
    ck_assert_int_eq(t[1].runs, 28);
    ck_assert_int_eq(w[1].runs, t[1].runs + 2);
}
END_TEST

START_TEST(failure_ends_one_task) {
    struct waiter w[] = {{.microseconds = 1, .fails_at = 1},
                         {.microseconds = 1, .fails_at = 5},
                         {.microseconds = 1}};
    struct timing t[3];
    measure(w, 3, (struct timing_budget){0, 3, 7, 7, 0}, 2, t);
    ck_assert_int_eq(w[0].runs, 1);
    ck_assert_int_eq(w[1].runs, 5);
    ck_assert_int_eq(w[2].runs, 10);
    ck_assert(t[0].runs == 0 && t[0].median < 0 && t[1].runs == 0 && t[1].high < 0);
    ck_assert_int_eq(t[2].runs, 7);
}
END_TEST

START_TEST(end_of_the_budget) {
    struct waiter w = {.microseconds = 20000};
    struct timing t;
    measure(&w, 1, (struct timing_budget){0, 0, 9, 9, 0.01}, 0, &t);
    ck_assert_int_eq(t.runs, 1);
}
END_TEST

/* the names of the tasks, in the order in which they ran */
static char order[16];

static int note(void *context) {
    strcat(order, context);
    return 0;
}

START_TEST(another_begins_each_time) {
    struct timing_task tasks[] = {{.run = note, .context = "a"}, {.run = note, .context = "b"}};
    struct timing t[2];
    struct timing_budget budget = {0, 0, 3, 3, 0};
    ck_assert_int_eq(timing_measure(tasks, 2, &budget, t), 0);
    ck_assert_str_eq(order, "abbaab");
}
END_TEST

START_TEST(work_done_several_times) {
    struct waiter w[] = {{.microseconds = 10000}, {.microseconds = 10000}};
    struct timing_task tasks[] = {{prepare, wait_long, &w[0], 0},
                                  {prepare, wait_long, &w[1], 1000}};
    struct timing t[2];
    struct timing_budget budget = {0, 0, 5, 5, 0};
    ck_assert_int_eq(timing_measure(tasks, 2, &budget, t), 0);
    ck_assert_double_eq_tol(t[0].median, 10e-3, 1e-6);
    ck_assert_double_eq_tol(t[1].median, 10e-6, 1e-9);
}
END_TEST

/* Returns how many pairs of neighbouring bits within the limbs of {xp, n} differ. */
static size_t changes(const mp_limb_t *xp, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += mpn_popcount((mp_limb_t[]){(xp[i] ^ xp[i] >> 1) & (mp_limb_t)-1 >> 1}, 1);
    return count;
}

START_TEST(operands) {
    enum { N = 3000 };
    static mp_limb_t x[N + 1], y[N];
    uint64_t seed = 7;
    for (enum timing_shape shape = TIMING_RANDOM; shape <= TIMING_RUNS; shape++) {
        x[N] = 4711;
        timing_operand(x, N, shape, &seed);
        timing_operand(y, N, shape, &seed);
        ck_assert_uint_eq(x[N], 4711);
        ck_assert(x[N - 1] != 0 && mpn_cmp(x, y, N) != 0);
        ck_assert(shape == TIMING_RANDOM ? changes(x, N) > N * 30 : changes(x, N) < N * 2);
    }
    for (size_t n = 1; n < 20; n++) {
        timing_operand(x, n, TIMING_RUNS, &seed);
        ck_assert(x[n - 1] != 0);
    }
}
END_TEST

int main(void) {
    return testing_main("timing", 4,
                        TESTS(ONCE(median_is_not_moved_by_some), ONCE(budget_counts_for_each_task),
                              ONCE(failure_ends_one_task), ONCE(end_of_the_budget),
                              ONCE(another_begins_each_time), ONCE(work_done_several_times),
                              ONCE(operands)));
}
