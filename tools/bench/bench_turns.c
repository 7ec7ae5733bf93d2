/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two settings in turns. */
#include "tools/bench/bench_turns.h"

#include <stdio.h>

/* The work's own function under one of them. */
struct under {
    struct bench_work *work;
    struct bench_setting setting;
};

static struct bench_setting set(struct bench_setting s) {
    struct bench_setting before = {mpgpu_conf.verify, mpgpu_conf.shared};
    mpgpu_conf.verify = s.verify;
    mpgpu_conf.shared = s.shared;
    return before;
}

static int run(void *context) {
    const struct under *u = context;
    struct bench_setting before = set(u->setting);
    int failed = u->work->operation->library(u->work);
    set(before);
    return failed;
}

/* New operands, and one run that is not counted. */
static int prepare(void *context) {
    bench_work_fill(((struct under *)context)->work);
    return run(context);
}

static void tell(const struct bench_turns *t, const struct bench_shape *shape,
                 const struct bench_work *w, const struct bench_figure figures[2],
                 struct bench_report *report) {
    char bits[24];
    double first = figures[0].time.median, second = figures[1].time.median;
    struct bench_record r;
    for (int i = 0; i < 2; i++) {
        r = bench_record_of(shape->name, w, t->names[i], &figures[i]);
        bench_report_add(report, &r);
    }
    snprintf(r.candidate, sizeof r.candidate, "%s", t->result);
    r.unit = t->unit;
    r.median = first > 0 && second > 0 ? t->compare(first, second) : -1;
    r.low = r.high = r.median;
    bench_report_add(report, &r);
    printf("%-9s %-11s %12.4f %3.0f%% %12.4f %3.0f%% %9.2f%s\n", shape->name,
           bench_bits_text(w->bits, bits), first * 1e3, bench_spread(&figures[0].time),
           second * 1e3, bench_spread(&figures[1].time), r.median,
           figures[0].state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

void bench_turns_measure(const struct bench_turns *t, const struct bench_options *options,
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
