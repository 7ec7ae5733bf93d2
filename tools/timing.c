/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times tasks alternately, and generates their operands. */
#include "tools/timing.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/stats.h"

/* The runs of one task so far. */
struct runs {
    double *seconds; /* of each */
    double spent;
    int count;
    bool failed;
};

static bool is_enough(const struct runs *r, const struct timing_budget *b) {
    if (r->count > 0 && b->end > 0 && r->spent >= b->end)
        return true;
    return r->failed || r->count >= b->most || (r->count >= b->least && r->spent >= b->seconds);
}

/* Returns the seconds of one run; negative if it failed. */
static double run_once(const struct timing_task *task) {
    if (task->prepare && task->prepare(task->context))
        return -1;
    double start = stats_clock();
    int failed = task->run(task->context);
    return failed ? -1 : stats_clock() - start;
}

static void add_run(const struct timing_task *task, struct runs *r) {
    double seconds = run_once(task);
    if (seconds < 0)
        r->failed = true;
    else
        r->spent += seconds, r->seconds[r->count++] = seconds / (task->times ? task->times : 1);
}

/* Runs each task once that has not had enough runs, beginning with task `first`.  Returns false if
 * all tasks have had enough. */
static bool take_turns(const struct timing_task *tasks, int count, int first,
                       const struct timing_budget *budget, struct runs *runs) {
    bool ran = false;
    for (int k = 0; k < count; k++) {
        int i = (first + k) % count;
        if (!is_enough(&runs[i], budget)) {
            add_run(&tasks[i], &runs[i]);
            ran = true;
        }
    }
    return ran;
}

static void warm_up(const struct timing_task *tasks, int count, int times, struct runs *runs) {
    for (int k = 0; k < times; k++)
        for (int i = 0; i < count; i++)
            runs[i].failed = runs[i].failed || run_once(&tasks[i]) < 0;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct timing summary(struct runs *r) {
    if (r->failed)
        return (struct timing){-1, -1, -1, 0};
    qsort(r->seconds, (size_t)r->count, sizeof *r->seconds, by_value);
    return (struct timing){r->seconds[r->count / 2], r->seconds[r->count / 4],
                           r->seconds[r->count - 1 - r->count / 4], r->count};
}

int timing_measure(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                   struct timing *times) {
    struct runs *runs = calloc((size_t)count, sizeof *runs);
    double *seconds = calloc((size_t)count * (size_t)budget->most, sizeof *seconds);
    int failed = 0;
    if (runs && seconds) {
        for (int i = 0; i < count; i++)
            runs[i].seconds = seconds + (size_t)i * (size_t)budget->most;
        warm_up(tasks, count, budget->warm, runs);
        for (int first = 0; take_turns(tasks, count, first % count, budget, runs); first++)
            ;
        for (int i = 0; i < count; i++) {
            times[i] = summary(&runs[i]);
            failed += runs[i].failed;
        }
    } else {
        failed = -1;
    }
    free(seconds);
    free(runs);
    return failed;
}

/* Returns 64 random bits, by splitmix64. */
static uint64_t random_bits(uint64_t *seed) {
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Fills x with runs of equal bits, alternately ones and zeros.  Most runs have 1 to 4 limbs, some
 * have hundreds.  Runs begin and end inside a limb. */
static void fill_runs(mp_limb_t *xp, size_t n, uint64_t *seed) {
    mp_limb_t now = 0;
    for (size_t i = 0; i < n; now = ~now) {
        uint64_t bits = random_bits(seed);
        size_t length = 1 + (bits >> 8 & 3) + (bits % 64 == 0 ? bits >> 16 & 511 : 0);
        for (; length > 1 && i < n; length--)
            xp[i++] = now;
        if (i < n)
            xp[i++] = now ^ ~(mp_limb_t)0 << (bits >> 58);
    }
}

void timing_operand(mp_limb_t *xp, size_t n, enum timing_shape shape, uint64_t *seed) {
    if (shape == TIMING_RUNS)
        fill_runs(xp, n, seed);
    else
        for (size_t i = 0; i < n; i++)
            xp[i] = random_bits(seed);
    xp[n - 1] |= (mp_limb_t)1 << (GMP_NUMB_BITS - 1);
}
