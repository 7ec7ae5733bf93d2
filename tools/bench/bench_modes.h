/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The modes of mpgpu-bench.  Each prints its own table, adds its figures to the report and returns
 * the program's exit status. */
#ifndef MPGPU_BENCH_MODES_H
#define MPGPU_BENCH_MODES_H

#include "tools/bench/bench_options.h"

int bench_table(const struct bench_options *options, struct bench_report *report);
int bench_smoothness(const struct bench_options *options, struct bench_report *report);
int bench_threads(const struct bench_options *options, struct bench_report *report);
int bench_arrays(const struct bench_options *options, struct bench_report *report);
int bench_batch(const struct bench_options *options, struct bench_report *report);
int bench_check(const struct bench_options *options, struct bench_report *report);
int bench_devices(const struct bench_options *options, struct bench_report *report);
int bench_memory_use(const struct bench_options *options, struct bench_report *report);
int bench_crossover(const struct bench_options *options, struct bench_report *report);
int bench_digit(const struct bench_options *options, struct bench_report *report);
int bench_transform(const struct bench_options *options, struct bench_report *report);
int bench_algorithms(const struct bench_options *options, struct bench_report *report);
int bench_fixed(const struct bench_options *options, struct bench_report *report);
int bench_fft(const struct bench_options *options, struct bench_report *report);
int bench_largest(const struct bench_options *options, struct bench_report *report);

/* Measure each operation of the options at each size, with its operands in the first column's
 * memory: 0, or 2 if there is no memory. */
typedef void bench_at_size(const struct bench_options *options, const struct bench_shape *shape,
                           struct bench_work *work, struct bench_report *report);
int bench_each(const struct bench_options *options, struct bench_report *report,
               bench_at_size *measure);

/* "2^20", or the number where it is no power of two. */
const char *bench_bits_text(uint64_t bits, char text[24]);

#endif
