/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the default check of each result costs: with it and without in turns. */
#include <stdio.h>

#include "lib/base/conf.h"
#include "tools/bench/bench_modes.h"

/* The work's own function under one kind of verification. */
struct verified {
    struct bench_work *work;
    int verify;
};

static int run(void *context) {
    const struct verified *v = context;
    int before = mpgpu_conf.verify;
    mpgpu_conf.verify = v->verify;
    int failed = v->work->operation->library(v->work);
    mpgpu_conf.verify = before;
    return failed;
}

/* New operands, and one run that is not counted. */
static int prepare(void *context) {
    bench_work_fill(((struct verified *)context)->work);
    return run(context);
}

static void tell(const struct bench_shape *shape, const struct bench_work *w,
                 const struct bench_figure figures[2], struct bench_report *report) {
    static const char *const names[] = {"verify:off", "verify:device"};
    char bits[24];
    double off = figures[0].time.median, on = figures[1].time.median;
    struct bench_record r;
    for (int i = 0; i < 2; i++) {
        r = bench_record_of(shape->name, w, names[i], &figures[i]);
        bench_report_add(report, &r);
    }
    snprintf(r.candidate, sizeof r.candidate, "check");
    r.unit = "percent";
    r.median = off > 0 && on > 0 ? 100 * (on - off) / on : -1;
    r.low = r.high = r.median;
    bench_report_add(report, &r);
    printf("%-9s %-11s %12.4f %3.0f%% %12.4f %3.0f%% %9.2f%s\n", shape->name,
           bench_bits_text(w->bits, bits), off * 1e3, bench_spread(&figures[0].time), on * 1e3,
           bench_spread(&figures[1].time), r.median,
           figures[0].state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

static void measure(const struct bench_options *options, const struct bench_shape *shape,
                    struct bench_work *w, struct bench_report *report) {
    struct verified off = {w, VERIFY_OFF}, on = {w, VERIFY_DEVICE};
    struct timing_task tasks[] = {{prepare, run, &off, 1}, {prepare, run, &on, 1}};
    struct timing times[2];
    struct timing_budget budget = options->budget;
    budget.warm = 1;
    int failed = timing_measure(tasks, 2, &budget, times);
    enum bench_state state = failed                   ? BENCH_FAILED
                             : bench_work_is_right(w) ? BENCH_RIGHT
                                                      : BENCH_WRONG;
    struct bench_figure figures[] = {{times[0], state}, {times[1], state}};
    tell(shape, w, figures, report);
}

int bench_check(const struct bench_options *options, struct bench_report *report) {
    printf("%-9s %-11s %17s %17s %9s\n", "operation", "bits", "unchecked, ms", "checked, ms",
           "check, %");
    return bench_each(options, report, measure);
}
