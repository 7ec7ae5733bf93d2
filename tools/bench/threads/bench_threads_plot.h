/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plots of what mpgpu-bench threads measured: operations a second by threads or processes. */
#ifndef MPGPU_BENCH_THREADS_PLOT_H
#define MPGPU_BENCH_THREADS_PLOT_H

#include <stdio.h>

#include "tools/bench/bench_report.h"

/* How many panels they are: one for each operation by threads, and by processes.  0 where the
 * report has no such figures. */
int bench_threads_plot_panels(const struct bench_report *report);

/* gnuplot's commands: axes, and the panels. */
void bench_threads_plot_axes(FILE *to);
void bench_threads_plot(FILE *to, const struct bench_report *report);

#endif
