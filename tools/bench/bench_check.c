/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the default check of each result costs: with it and without in turns. */
#include <stdio.h>

#include "tools/bench/bench_turns.h"

static double percent(double off, double on) {
    return 100 * (on - off) / on;
}

static void measure(const struct bench_options *options, const struct bench_shape *shape,
                    struct bench_work *w, struct bench_report *report) {
    const struct bench_turns turns = {
        {{VERIFY_OFF, mpgpu_conf.shared}, {VERIFY_DEVICE, mpgpu_conf.shared}},
        {"verify:off", "verify:device"},
        "check",
        "percent",
        percent};
    bench_turns_measure(&turns, options, shape, w, report);
}

int bench_check(const struct bench_options *options, struct bench_report *report) {
    printf("%-9s %-11s %17s %17s %9s\n", "operation", "bits", "unchecked, ms", "checked, ms",
           "check, %");
    return bench_each(options, report, measure);
}
