/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What products gain that several devices share: by one device and by all in turns. */
#include <stdio.h>

#include "lib/session/session.h"
#include "tools/bench/bench_turns.h"

static double ratio(double one, double all) {
    return all / one;
}

/* The option may name a size for all of them. */
static void measure(const struct bench_options *options, const struct bench_shape *shape,
                    struct bench_work *w, struct bench_report *report) {
    size_t asked = mpgpu_conf.shared == MPGPU_UNSET ? 0 : mpgpu_conf.shared;
    const struct bench_turns turns = {
        {{mpgpu_conf.verify, MPGPU_NEVER}, {mpgpu_conf.verify, asked}},
        {"one-device", "all-devices"},
        "share",
        "ratio",
        ratio};
    bench_turns_measure(&turns, options, shape, w, report);
}

int bench_devices(const struct bench_options *options, struct bench_report *report) {
    unsigned number[SESSION_DEVICES];
    unsigned count = session_devices(number);
    printf("%u device%s\n%-9s %-11s %17s %17s %9s\n", count, count == 1 ? "" : "s", "operation",
           "bits", "one, ms", "all, ms", "all/one");
    return bench_each(options, report, measure);
}
