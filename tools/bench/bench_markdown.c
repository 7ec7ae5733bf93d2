/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The report as a table of Markdown, for a README: a line for each operation and size, a column for
 * each candidate, medians in ms; of rates alone, operations a second. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/bench_modes.h"
#include "tools/bench/bench_report.h"

enum { MOST_COLUMNS = 40 };

struct columns {
    const char *name[MOST_COLUMNS];
    int count;
    const char *unit; /* of all figures */
};

static const char *find_unit(const struct bench_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->records[i].unit, "ms") == 0)
            return "ms";
    return "per second";
}

static bool is_shown(const struct columns *c, const struct bench_record *r) {
    return strcmp(r->unit, c->unit) == 0;
}

static struct columns find_columns(const struct bench_report *report) {
    struct columns c = {.count = 0, .unit = find_unit(report)};
    for (size_t i = 0; i < report->count; i++) {
        const char *name = report->records[i].candidate;
        int k = 0;
        while (k < c.count && strcmp(c.name[k], name) != 0)
            k++;
        if (k == c.count && k < MOST_COLUMNS && is_shown(&c, &report->records[i]))
            c.name[c.count++] = name;
    }
    return c;
}

/* The figure of a column in the row of record r; NULL if there is none. */
static const struct bench_record *find(const struct bench_report *report,
                                       const struct bench_record *r, const char *column) {
    const struct bench_record *end = report->records + report->count;
    for (const struct bench_record *q = report->records; q < end; q++)
        if (q->bits == r->bits && q->median > 0 && strcmp(q->operation, r->operation) == 0 &&
            strcmp(q->candidate, column) == 0)
            return q;
    return NULL;
}

static void put_figure(FILE *file, double x) {
    fprintf(file, x < 100 ? " %.3g |" : " %.0f |", x);
}

static void put_row(FILE *file, const struct bench_report *report, const struct columns *c,
                    const struct bench_record *r) {
    char bits[24];
    fprintf(file, "| %s | %s |", r->operation, bench_bits_text(r->bits, bits));
    for (int k = 0; k < c->count; k++) {
        const struct bench_record *q = find(report, r, c->name[k]);
        if (q)
            put_figure(file, q->median);
        else
            fputs(" - |", file);
    }
    putc('\n', file);
}

static void put_table(FILE *file, const struct bench_report *report) {
    struct columns c = find_columns(report);
    fputs("| operation | bits |", file);
    for (int k = 0; k < c.count; k++)
        fprintf(file, " %s |", c.name[k]);
    fputs("\n| --- | ---: |", file);
    for (int k = 0; k < c.count; k++)
        fputs(" ---: |", file);
    putc('\n', file);
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++)
        if (c.count > 0 && is_shown(&c, r) && strcmp(r->candidate, c.name[0]) == 0)
            put_row(file, report, &c, r);
}

bool bench_report_write_markdown(const struct bench_report *report, const char *path) {
    FILE *file = bench_report_open(report, path);
    if (!file)
        return false;
    put_table(file, report);
    return bench_report_close(report, file, path);
}
