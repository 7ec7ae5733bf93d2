/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What was measured, as CSV: a line a figure, which says all about itself. */
#include "config.h"

#include "tools/bench/bench_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const states[] = {"failed", "wrong", "right"};

static const char header[] =
    "operation,bits,u_limbs,v_limbs,r_limbs,candidate,unit,median,low,high,runs,state,date,gmp,"
    "device\n";

void bench_report_add(struct bench_report *report, const struct bench_record *record) {
    if (report->count == report->capacity) {
        size_t capacity = report->capacity ? 2 * report->capacity : 64;
        struct bench_record *records = realloc(report->records, capacity * sizeof *records);
        if (!records) {
            fprintf(stderr, "mpgpu-bench: no memory\n");
            exit(1);
        }
        report->records = records;
        report->capacity = capacity;
    }
    report->records[report->count++] = *record;
}

void bench_report_free(struct bench_report *report) {
    free(report->records);
}

void bench_report_value(struct bench_report *report, const char *operation,
                        const struct bench_work *work, const char *candidate, const char *unit,
                        double value, enum bench_state state) {
    struct bench_record r = {.bits = work->bits, .un = work->un, .vn = work->vn, .rn = work->rn};
    snprintf(r.operation, sizeof r.operation, "%s", operation);
    snprintf(r.candidate, sizeof r.candidate, "%s", candidate);
    r.unit = unit;
    r.median = r.low = r.high = value;
    r.runs = 1;
    r.state = state;
    bench_report_add(report, &r);
}

void bench_report_time(struct bench_report *report, const char *operation,
                       const struct bench_work *work, const char *candidate,
                       const struct bench_figure *figure) {
    const struct timing *t = &figure->time;
    bench_report_value(report, operation, work, candidate, "ms", t->median * 1e3, figure->state);
    struct bench_record *r = &report->records[report->count - 1];
    r->low = t->low * 1e3, r->high = t->high * 1e3;
    r->runs = t->runs;
}

bool bench_report_is_wrong(const struct bench_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (report->records[i].state == BENCH_WRONG)
            return true;
    return false;
}

void bench_report_date(struct bench_report *report) {
    time_t now = time(NULL);
    struct tm tm;
    strftime(report->date, sizeof report->date, "%Y-%m-%d", gmtime_r(&now, &tm));
    snprintf(report->gmp, sizeof report->gmp, "%s", gmp_version);
}

/* In quotation marks, which CSV doubles inside. */
static void put_text(FILE *file, const char *text) {
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        if ((unsigned char)*text >= ' ')
            putc(*text, file);
    }
    putc('"', file);
}

static void put_records(FILE *file, const struct bench_report *report) {
    fputs(header, file);
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++) {
        fprintf(file, "%s,%" PRIu64 ",%zu,%zu,%zu,%s,%s,%.6g,%.6g,%.6g,%d,%s,%s,%s,", r->operation,
                r->bits, r->un, r->vn, r->rn, r->candidate, r->unit, r->median, r->low, r->high,
                r->runs, states[r->state], report->date, report->gmp);
        put_text(file, report->device);
        putc('\n', file);
    }
}

bool bench_report_write_csv(const struct bench_report *report, const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? report->output : fopen(path, "w");
    if (!file) {
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    put_records(file, report);
    int failed = ferror(file) | (file == report->output ? fflush(file) : fclose(file));
    if (failed)
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
    return !failed;
}
