/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What mpgpu-bench can measure: each mode prints its own table, keeps its figures in the
 * report, and returns the program's exit status. */
#ifndef MPGPU_BENCH_MODES_H
#define MPGPU_BENCH_MODES_H

#include "bench_options.h"

int bench_table(const struct bench_options *options, struct bench_report *report);
int bench_smoothness(const struct bench_options *options, struct bench_report *report);
int bench_threads(const struct bench_options *options, struct bench_report *report);
int bench_check(const struct bench_options *options, struct bench_report *report);
int bench_memory_use(const struct bench_options *options, struct bench_report *report);
int bench_crossover(const struct bench_options *options, struct bench_report *report);
int bench_largest(const struct bench_options *options, struct bench_report *report);

/* "2^20", or the number where it is no power of two. */
const char *bench_bits_text(uint64_t bits, char text[24]);

#endif
