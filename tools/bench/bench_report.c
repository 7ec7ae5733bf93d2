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

struct bench_record bench_record_of(const char *operation, const struct bench_work *work,
                                    const char *candidate, const struct bench_figure *figure) {
    const struct timing *t = &figure->time;
    struct bench_record r = {.bits = work->bits, .un = work->un, .vn = work->vn, .rn = work->rn};
    snprintf(r.operation, sizeof r.operation, "%s", operation);
    snprintf(r.candidate, sizeof r.candidate, "%s", candidate);
    r.unit = "ms";
    r.median = t->median * 1e3, r.low = t->low * 1e3, r.high = t->high * 1e3;
    r.runs = t->runs;
    r.state = figure->state;
    return r;
}

bool bench_report_is_wrong(const struct bench_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (report->records[i].state == BENCH_WRONG)
            return true;
    return false;
}

FILE *bench_report_open(const struct bench_report *report, const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? report->output : fopen(path, "w");
    if (!file)
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
    return file;
}

bool bench_report_close(const struct bench_report *report, FILE *file, const char *path) {
    int failed = ferror(file) | (file == report->output ? fflush(file) : fclose(file));
    if (failed)
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
    return !failed;
}

void bench_report_date(struct bench_report *report) {
    time_t now = time(NULL);
    struct tm tm;
    strftime(report->date, sizeof report->date, "%Y-%m-%d", gmtime_r(&now, &tm));
    snprintf(report->gmp, sizeof report->gmp, "%s", gmp_version);
}

/* In quotation marks, as CSV and, with `escape` a backslash, JSON want it. */
static void put_text(FILE *file, const char *text, char escape) {
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"' || (*text == '\\' && escape == '\\'))
            putc(escape, file);
        if ((unsigned char)*text >= ' ')
            putc(*text, file);
    }
    putc('"', file);
}

bool bench_report_write_csv(const struct bench_report *report, const char *path) {
    FILE *file = bench_report_open(report, path);
    if (!file)
        return false;
    fputs(header, file);
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++) {
        fprintf(file, "%s,%" PRIu64 ",%zu,%zu,%zu,%s,%s,%.6g,%.6g,%.6g,%d,%s,%s,%s,", r->operation,
                r->bits, r->un, r->vn, r->rn, r->candidate, r->unit, r->median, r->low, r->high,
                r->runs, states[r->state], report->date, report->gmp);
        put_text(file, report->device, '"');
        putc('\n', file);
    }
    return bench_report_close(report, file, path);
}

static void put_json_record(FILE *file, const struct bench_record *r) {
    fprintf(file,
            "{\"operation\":\"%s\",\"bits\":%" PRIu64 ",\"u_limbs\":%zu,\"v_limbs\":%zu,"
            "\"r_limbs\":%zu,\"candidate\":\"%s\",\"unit\":\"%s\",\"median\":%.6g,\"low\":%.6g,"
            "\"high\":%.6g,\"runs\":%d,\"state\":\"%s\"}",
            r->operation, r->bits, r->un, r->vn, r->rn, r->candidate, r->unit, r->median, r->low,
            r->high, r->runs, states[r->state]);
}

bool bench_report_write_json(const struct bench_report *report, const char *path) {
    FILE *file = bench_report_open(report, path);
    if (!file)
        return false;
    fprintf(file, "{\"date\":\"%s\",\"gmp\":\"%s\",\"device\":", report->date, report->gmp);
    put_text(file, report->device, '\\');
    fputs(",\"figures\":[", file);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_json_record(file, &report->records[i]);
    }
    fputs("]}\n", file);
    return bench_report_close(report, file, path);
}

/* The unit of that name, for as long as the program runs. */
static const char *unit_named(const char *name) {
    static const char *const units[] = {"ms",    "per second", "percent",      "MiB",
                                        "limbs", "ratio",      "iterations/s", "products/s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], name) == 0)
            return units[i];
    return "other";
}

/* A record from a line of our CSV, with device, date and GMP into the report; false if it is none.
 */
static bool parse_record(const char *line, struct bench_record *r, struct bench_report *report) {
    char unit[24], state[24];
    int used = 0;
    if (sscanf(line,
               "%23[^,],%" SCNu64 ",%zu,%zu,%zu,%23[^,],%23[^,],%lf,%lf,%lf,%d,%23[^,],%15[^,],"
               "%23[^,],\"%n",
               r->operation, &r->bits, &r->un, &r->vn, &r->rn, r->candidate, unit, &r->median,
               &r->low, &r->high, &r->runs, state, report->date, report->gmp, &used) != 14 ||
        used == 0)
        return false;
    snprintf(report->device, sizeof report->device, "%.*s", (int)strcspn(line + used, "\"\n"),
             line + used);
    r->unit = unit_named(unit);
    r->state = BENCH_FAILED;
    while (r->state < BENCH_RIGHT && strcmp(states[r->state], state) != 0)
        r->state++;
    return true;
}

bool bench_report_read_csv(struct bench_report *report, const char *path) {
    FILE *file = fopen(path, "r");
    char line[1000];
    int number = 1;
    bool is_ours = file && fgets(line, sizeof line, file) && strcmp(line, header) == 0;
    while (is_ours && fgets(line, sizeof line, file)) {
        struct bench_record r;
        number++;
        is_ours = parse_record(line, &r, report);
        if (is_ours)
            bench_report_add(report, &r);
    }
    if (!file)
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
    else if (!is_ours)
        fprintf(stderr, "mpgpu-bench: %s:%d: not a line of mpgpu-bench --csv\n", path, number);
    if (file)
        fclose(file);
    return is_ours;
}
