/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What was measured, kept for files and plots. */
#ifndef MPGPU_BENCH_REPORT_H
#define MPGPU_BENCH_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/bench/bench_candidate.h"

struct bench_record {
    char operation[24];
    uint64_t bits;     /* that were asked for */
    size_t un, vn, rn; /* limbs of operands and result */
    char candidate[24];
    const char *unit;
    double median, low, high; /* in that unit */
    int runs;
    enum bench_state state;
};

struct bench_report {
    struct bench_record *records;
    size_t count, room;
    char device[256], gmp[24], date[16]; /* where and when */
    FILE *output;                        /* for the file name "-" */
};

void bench_report_add(struct bench_report *report, const struct bench_record *record);
/* Today, with this GMP. */
void bench_report_date(struct bench_report *report);

void bench_report_free(struct bench_report *report);

/* A record of a work's times, in ms. */
struct bench_record bench_record_of(const char *operation, const struct bench_work *work,
                                    const char *candidate, const struct bench_figure *figure);

/* Nonzero if something was wrong. */
int bench_report_is_wrong(const struct bench_report *report);

/* To a file, or report->output for "-"; 0 and a message if that fails. */
int bench_report_write_csv(const struct bench_report *report, const char *path);
int bench_report_write_json(const struct bench_report *report, const char *path);
int bench_report_write_markdown(const struct bench_report *report, const char *path);

/* What bench_report_write_csv has written; 0 and a message if it can't be read. */
int bench_report_read_csv(struct bench_report *report, const char *path);

/* A log-log plot of the times through gnuplot, as the ending of the path says: svg or png. */
int bench_report_plot(const struct bench_report *report, const char *path);

#endif
