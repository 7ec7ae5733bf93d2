/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes reports: a table for people, and CSV with a line for each figure, which
 * tools/bench/mpgpu-bench-report reads. */
#include "config.h"

#include "tools/bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/stats.h"

enum { WIDTH = 15, MOST_TIMES = 1000 };

static const char *const states[] = {"failed", "wrong", "right"};

static const char csv_header[] =
    "operation,bits,u_limbs,v_limbs,r_limbs,candidate,unit,median,low,high,runs,state,date,gmp,"
    "device\n";

/* ---- figures */

struct bench_figure bench_value(double value, enum bench_state state) {
    return (struct bench_figure){{value, value, value, 1}, state};
}

void bench_time(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                struct bench_figure *figures) {
    struct timing times[BENCH_MOST_CANDIDATES];
    int failed = timing_measure(tasks, count, budget, times);
    for (int i = 0; i < count; i++)
        figures[i] = failed < 0 || times[i].runs == 0
                         ? (struct bench_figure){{-1, -1, -1, 0}, BENCH_FAILED}
                         : (struct bench_figure){times[i], BENCH_RIGHT};
}

int bench_times(const struct timing_task *task, double seconds) {
    double start = stats_clock();
    task->run(task->context);
    double times = seconds / (stats_clock() - start);
    return times < 1 ? 1 : times > MOST_TIMES ? MOST_TIMES : (int)times + 1;
}

/* ---- records */

void bench_report_begin(struct bench_report *report) {
    time_t now = time(NULL);
    struct tm tm;
    strftime(report->date, sizeof report->date, "%Y-%m-%d", gmtime_r(&now, &tm));
    snprintf(report->gmp, sizeof report->gmp, "%s", gmp_version);
}

void bench_report_free(struct bench_report *report) {
    free(report->records);
}

void bench_report_row(struct bench_report *report, const char *operation, uint64_t bits, size_t un,
                      size_t vn, size_t rn) {
    report->row = report->count;
    report->next = (struct bench_record){.bits = bits, .un = un, .vn = vn, .rn = rn};
    snprintf(report->next.operation, sizeof report->next.operation, "%s", operation);
}

void bench_report_put(struct bench_report *report, const char *candidate, const char *unit,
                      struct bench_figure figure) {
    if (report->count == report->capacity) {
        size_t capacity = report->capacity ? 2 * report->capacity : 64;
        struct bench_record *records = realloc(report->records, capacity * sizeof *records);
        if (!records) {
            fprintf(stderr, "mpgpu-bench: no memory\n");
            exit(2);
        }
        report->records = records;
        report->capacity = capacity;
    }
    struct bench_record *r = &report->records[report->count++];
    *r = report->next;
    snprintf(r->candidate, sizeof r->candidate, "%s", candidate);
    r->unit = unit;
    r->figure = figure;
}

void bench_report_time(struct bench_report *report, const char *candidate,
                       struct bench_figure figure) {
    struct timing *t = &figure.time;
    t->median *= 1e3, t->low *= 1e3, t->high *= 1e3;
    bench_report_put(report, candidate, "ms", figure);
}

bool bench_report_is_wrong(const struct bench_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (report->records[i].figure.state == BENCH_WRONG)
            return true;
    return false;
}

/* ---- the table */

static bool has_header(const struct bench_report *report) {
    const struct bench_record *last = report->records + report->header,
                              *row = report->records + report->row;
    size_t columns = report->count - report->row;
    if (report->header_end - report->header != columns)
        return false;
    for (size_t i = 0; i < columns; i++)
        if (strcmp(last[i].candidate, row[i].candidate) != 0)
            return false;
    return true;
}

/* "gmp, ms". */
static int name_of(const struct bench_record *r, char text[64]) {
    bool is_rate = strcmp(r->unit, "per second") == 0;
    return snprintf(text, 64, "%s, %s", r->candidate, is_rate ? "/s" : r->unit);
}

static void print_header(struct bench_report *report) {
    printf("%-16s %-11s", "operation", "bits");
    for (size_t i = report->row; i < report->count; i++) {
        char text[64];
        name_of(&report->records[i], text);
        printf(" %*s", WIDTH, text);
    }
    putchar('\n');
    report->header = report->row;
    report->header_end = report->count;
}

/* Prints the median, half of the interquartile range in per cent of the median, and a mark if the
 * result is wrong or missing. */
static void print_cell(const struct bench_record *r) {
    char name[64], text[64];
    const struct timing *t = &r->figure.time;
    int length = name_of(r, name);
    if (t->median < 0)
        snprintf(text, sizeof text, "-");
    else if (t->runs > 1 && t->median > 0)
        snprintf(text, sizeof text, "%.4g %3.0f%%", t->median, 50 * (t->high - t->low) / t->median);
    else
        snprintf(text, sizeof text, "%.4g", t->median);
    printf(" %*s%s", length > WIDTH ? length : WIDTH, text,
           r->figure.state == BENCH_WRONG ? " WRONG" : "");
}

const char *bench_bits_text(uint64_t bits, char text[24]) {
    int log_bits = 0;
    while (bits >> log_bits > 1)
        log_bits++;
    if (bits == UINT64_C(1) << log_bits)
        snprintf(text, 24, "2^%d", log_bits);
    else
        snprintf(text, 24, "%" PRIu64, bits);
    return text;
}

/* ---- CSV */

/* Writes a text in quotation marks; quotation marks inside are doubled, as CSV requires. */
static void put_text(FILE *file, const char *text) {
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        if ((unsigned char)*text >= ' ')
            putc(*text, file);
    }
    fputs("\"\n", file);
}

/* Writes the records from number `first`.  Before the first record comes the header. */
static void put_records(FILE *file, const struct bench_report *report, size_t first) {
    if (first == 0)
        fputs(csv_header, file);
    for (size_t i = first; i < report->count; i++) {
        const struct bench_record *r = &report->records[i];
        const struct timing *t = &r->figure.time;
        fprintf(file, "%s,%" PRIu64 ",%zu,%zu,%zu,%s,%s,%.6g,%.6g,%.6g,%d,%s,%s,%s,", r->operation,
                r->bits, r->un, r->vn, r->rn, r->candidate, r->unit, t->median, t->low, t->high,
                t->runs, states[r->figure.state], report->date, report->gmp);
        put_text(file, report->device);
    }
}

/* Adds this row's records to the CSV's file.  The whole file is written again at the end, with an
 * error message if that fails. */
static void add_row(const struct bench_report *report) {
    FILE *file = fopen(report->csv, report->row == 0 ? "w" : "a");
    if (!file)
        return;
    put_records(file, report, report->row);
    fclose(file);
}

bool bench_report_write_csv(const struct bench_report *report) {
    FILE *file = strcmp(report->csv, "-") == 0 ? report->output : fopen(report->csv, "w");
    if (file)
        put_records(file, report, 0);
    if (file && !(ferror(file) | (file == report->output ? fflush(file) : fclose(file))))
        return true;
    fprintf(stderr, "mpgpu-bench: %s: %s\n", report->csv, strerror(errno));
    return false;
}

/* ---- rows */

void bench_report_print(struct bench_report *report, const char *note) {
    char bits[24];
    if (report->csv && strcmp(report->csv, "-") != 0)
        add_row(report);
    if (!has_header(report))
        print_header(report);
    printf("%-16s %-11s", report->next.operation, bench_bits_text(report->next.bits, bits));
    for (size_t i = report->row; i < report->count; i++)
        print_cell(&report->records[i]);
    printf("%s\n", note);
    fflush(stdout);
}
