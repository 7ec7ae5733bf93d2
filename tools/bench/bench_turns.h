/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The library under two settings of its options, in turns. */
#ifndef MPGPU_BENCH_TURNS_H
#define MPGPU_BENCH_TURNS_H

#include "lib/base/conf.h"
#include "tools/bench/bench_modes.h"

/* Options that are set for a run. */
struct bench_setting {
    int verify;
    size_t shared;
};

/* Two settings with their columns' names; and what is told of their times, with its unit. */
struct bench_turns {
    struct bench_setting setting[2];
    const char *names[2], *result, *unit;
    double (*compare)(double first, double second); /* both above 0 */
};

/* Measures one size: to be called by what bench_each calls. */
void bench_turns_measure(const struct bench_turns *t, const struct bench_options *options,
                         const struct bench_shape *shape, struct bench_work *w,
                         struct bench_report *report);

#endif
