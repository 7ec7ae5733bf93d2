/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Work on a buffer on the device, timed in turns with a copy of it. */
#ifndef MPGPU_BENCH_PASS_H
#define MPGPU_BENCH_PASS_H

#include "lib/device/number.h"
#include "tools/bench/bench_options.h"

/* Two numbers on the device, and work from one to the other, enqueued; it may swap them. */
struct bench_pass {
    struct number from, to;
    enum gpu_status (*work)(struct context *s, struct bench_pass *pass);
    const void *context; /* the work's own */
};

enum { BENCH_PASS_COPY, BENCH_PASS_WORK, BENCH_PASS_FIGURES };

/* Numbers of so many words, uninitialised; nonzero if there is no memory. */
int bench_pass_open(struct bench_pass *pass, uint64_t words);
void bench_pass_close(struct bench_pass *pass);

/* Write words of `from`, or read words of `to`: nonzero if it fails. */
int bench_pass_load(struct bench_pass *pass, uint64_t first, const int32_t *words, size_t n);
int bench_pass_fetch(struct bench_pass *pass, uint64_t first, int32_t *words, size_t n);

/* The work once, or so many times with one wait at the end. */
int bench_pass_run(struct bench_pass *pass);
int bench_pass_repeat(struct bench_pass *pass, int times);

/* Seconds of a copy of `from` to `to`, reading and writing each word once, and of the work. */
void bench_pass_measure(struct bench_pass *pass, const struct timing_budget *budget,
                        struct bench_figure figures[BENCH_PASS_FIGURES]);

/* Add a record at `bits` bits: a time, or a value in another unit. */
void bench_pass_tell(struct bench_report *report, const char *operation, uint64_t bits,
                     const char *candidate, const struct bench_figure *figure);
void bench_pass_tell_value(struct bench_report *report, const char *operation, uint64_t bits,
                           const char *candidate, const char *unit, double value,
                           enum bench_state state);

#endif
