/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What products gain that several devices share: by one device and by all in turns. */
#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/bench/bench_modes.h"

/* The work's own function with one value of the option `shared`. */
struct by {
    struct bench_work *work;
    size_t shared;
};

static int run(void *context) {
    const struct by *by = context;
    size_t before = mpgpu_conf.shared;
    mpgpu_conf.shared = by->shared;
    int failed = by->work->operation->library(by->work);
    mpgpu_conf.shared = before;
    return failed;
}

/* New operands, and one run that is not counted. */
static int prepare(void *context) {
    bench_work_fill(((struct by *)context)->work);
    return run(context);
}

static void tell(const struct bench_shape *shape, const struct bench_work *w,
                 const struct bench_figure figures[2], struct bench_report *report) {
    static const char *const names[] = {"one-device", "all-devices"};
    char bits[24];
    double one = figures[0].time.median, all = figures[1].time.median;
    struct bench_record r;
    for (int i = 0; i < 2; i++) {
        r = bench_record_of(shape->name, w, names[i], &figures[i]);
        bench_report_add(report, &r);
    }
    snprintf(r.candidate, sizeof r.candidate, "share");
    r.unit = "ratio";
    r.median = one > 0 && all > 0 ? all / one : -1;
    r.low = r.high = r.median;
    bench_report_add(report, &r);
    printf("%-9s %-11s %12.4f %3.0f%% %12.4f %3.0f%% %9.2f%s\n", shape->name,
           bench_bits_text(w->bits, bits), one * 1e3, bench_spread(&figures[0].time), all * 1e3,
           bench_spread(&figures[1].time), r.median,
           figures[0].state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

/* The option may name a size for all of them. */
static void measure(const struct bench_options *options, const struct bench_shape *shape,
                    struct bench_work *w, struct bench_report *report) {
    size_t asked = mpgpu_conf.shared == MPGPU_UNSET ? 0 : mpgpu_conf.shared;
    struct by one = {w, MPGPU_NEVER}, all = {w, asked};
    struct timing_task tasks[] = {{prepare, run, &one, 1}, {prepare, run, &all, 1}};
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

int bench_devices(const struct bench_options *options, struct bench_report *report) {
    unsigned number[SESSION_DEVICES];
    printf("%u devices\n%-9s %-11s %17s %17s %9s\n", session_devices(number), "operation", "bits",
           "one, ms", "all, ms", "all/one");
    return bench_each(options, report, measure);
}
