/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Records of what was measured, which tools/bench/mpgpu-bench-report prints and draws. */
#ifndef MPGPU_BENCH_REPORT_H
#define MPGPU_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/bench/bench_candidate.h"

struct bench_record {
    char operation[24];
    uint64_t bits;     /* as asked for */
    size_t un, vn, rn; /* limbs of operands and result */
    char candidate[24];
    const char *unit;
    double median, low, high; /* in this unit; the quartiles */
    int runs;
    enum bench_state state;
};

struct bench_report {
    struct bench_record *records;
    size_t count, capacity;
    char device[256], gmp[24], date[16]; /* where and when */
    FILE *output;                        /* for the file name "-" */
};

void bench_report_add(struct bench_report *report, const struct bench_record *record);
/* Today, with this GMP. */
void bench_report_date(struct bench_report *report);

void bench_report_free(struct bench_report *report);

/* Add a record of a work: a time, in ms, or a value in another unit. */
void bench_report_time(struct bench_report *report, const char *operation,
                       const struct bench_work *work, const char *candidate,
                       const struct bench_figure *figure);
void bench_report_value(struct bench_report *report, const char *operation,
                        const struct bench_work *work, const char *candidate, const char *unit,
                        double value, enum bench_state state);

/* Was a result wrong? */
bool bench_report_is_wrong(const struct bench_report *report);

/* Writes all records as CSV; false and a message if that fails. */
bool bench_report_write_csv(const struct bench_report *report, const char *path);

#endif
