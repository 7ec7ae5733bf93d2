/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two settings of the library's options in turns: what the default check of each result costs, and
 * what products gain that several devices share. */
#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/bench/bench_modes.h"

/* Options that differ. */
struct setting {
    int verify;
    size_t shared;
};

/* What is compared: the settings and their columns' names; what the two times, in seconds, say,
 * its column's name and its unit. */
struct turns {
    struct setting setting[2];
    const char *names[2];
    const char *result, *unit;
    double (*compare)(double first, double second);
};

/* The work's own function under one of them. */
struct under {
    struct bench_work *work;
    struct setting setting;
};

static struct setting set(struct setting s) {
    struct setting before = {mpgpu_conf.verify, mpgpu_conf.shared};
    mpgpu_conf.verify = s.verify;
    mpgpu_conf.shared = s.shared;
    return before;
}

static int run(void *context) {
    const struct under *u = context;
    struct setting before = set(u->setting);
    int failed = u->work->operation->library(u->work);
    set(before);
    return failed;
}

/* New operands, and one run that is not counted. */
static int prepare(void *context) {
    bench_work_fill(((struct under *)context)->work);
    return run(context);
}

static void tell(const struct turns *t, const struct bench_shape *shape, const struct bench_work *w,
                 const struct bench_figure figures[2], struct bench_report *report) {
    char bits[24];
    double first = figures[0].time.median, second = figures[1].time.median;
    double result = first > 0 && second > 0 ? t->compare(first, second) : -1;
    for (int i = 0; i < 2; i++)
        bench_report_time(report, shape->name, w, t->names[i], &figures[i]);
    bench_report_value(report, shape->name, w, t->result, t->unit, result, figures[0].state);
    printf("%-9s %-11s %12.4f %3.0f%% %12.4f %3.0f%% %9.2f%s\n", shape->name,
           bench_bits_text(w->bits, bits), first * 1e3, bench_spread(&figures[0].time),
           second * 1e3, bench_spread(&figures[1].time), result,
           figures[0].state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

static void measure(const struct turns *t, const struct bench_options *options,
                    const struct bench_shape *shape, struct bench_work *w,
                    struct bench_report *report) {
    struct under first = {w, t->setting[0]}, second = {w, t->setting[1]};
    struct timing_task tasks[] = {{prepare, run, &first, 1}, {prepare, run, &second, 1}};
    struct timing times[2];
    struct timing_budget budget = options->budget;
    budget.warm = 1;
    int failed = timing_measure(tasks, 2, &budget, times);
    enum bench_state state = failed                   ? BENCH_FAILED
                             : bench_work_is_right(w) ? BENCH_RIGHT
                                                      : BENCH_WRONG;
    struct bench_figure figures[] = {{times[0], state}, {times[1], state}};
    tell(t, shape, w, figures, report);
}

/* ---- the modes */

static double percent(double off, double on) {
    return 100 * (on - off) / on;
}

static void measure_check(const struct bench_options *options, const struct bench_shape *shape,
                          struct bench_work *w, struct bench_report *report) {
    const struct turns turns = {
        {{VERIFY_OFF, mpgpu_conf.shared}, {VERIFY_DEVICE, mpgpu_conf.shared}},
        {"verify:off", "verify:device"},
        "check",
        "percent",
        percent};
    measure(&turns, options, shape, w, report);
}

int bench_check(const struct bench_options *options, struct bench_report *report) {
    printf("%-9s %-11s %17s %17s %9s\n", "operation", "bits", "unchecked, ms", "checked, ms",
           "check, %");
    return bench_each(options, report, measure_check);
}

static double ratio(double one, double all) {
    return all / one;
}

/* The option may name a size for all of them. */
static void measure_devices(const struct bench_options *options, const struct bench_shape *shape,
                            struct bench_work *w, struct bench_report *report) {
    size_t asked = mpgpu_conf.shared == MPGPU_UNSET ? 0 : mpgpu_conf.shared;
    const struct turns turns = {{{mpgpu_conf.verify, MPGPU_NEVER}, {mpgpu_conf.verify, asked}},
                                {"one-device", "all-devices"},
                                "share",
                                "ratio",
                                ratio};
    measure(&turns, options, shape, w, report);
}

int bench_devices(const struct bench_options *options, struct bench_report *report) {
    unsigned number[SESSION_DEVICES];
    unsigned count = session_devices(number);
    printf("%u device%s\n%-9s %-11s %17s %17s %9s\n", count, count == 1 ? "" : "s", "operation",
           "bits", "one, ms", "all, ms", "all/one");
    return bench_each(options, report, measure_devices);
}
