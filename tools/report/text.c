/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints the profile as text. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/run/say.h"

enum { ROWS = 40, LINE = 4000 };

struct line {
    char s[LINE];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->s + l->length, sizeof l->s - l->length, format, args);
    va_end(args);
    l->length += n > 0 ? (size_t)n : 0;
    if (l->length >= sizeof l->s)
        l->length = sizeof l->s - 1;
}

static double seconds(uint64_t ns) {
    return 1e-9 * (double)ns;
}

/* Appends the reasons why GMP computed calls of the row. */
static void put_reasons(struct line *l, const struct stats_row *row) {
    const char *gap = "; ";
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (stats_outcome_words[i] && row->calls[i]) {
            put(l, "%s%s %" PRIu64, gap, stats_outcome_words[i], (uint64_t)row->calls[i]);
            gap = ", ";
        }
    if (row->recomputed)
        put(l, "; checked and recomputed %" PRIu64, (uint64_t)row->recomputed);
}

static void put_sizes(struct line *l, const struct report_row *row) {
    char text[48];
    int n = snprintf(text, sizeof text, "%" PRIu64, row->least);
    if (row->most != row->least)
        snprintf(text + n, sizeof text - (size_t)n, "-%" PRIu64, row->most);
    put(l, "  %-17s", text);
}

static void print_row(const struct report *r, const struct report_row *row) {
    struct line l = {.length = 0};
    const uint64_t all = report_time(&r->sum);
    put(&l, "%9.3f %5.1f %% %9.3f %9.3f %9" PRIu64 " %9" PRIu64, seconds(report_time(&row->row)),
        all ? 100 * (double)report_time(&row->row) / (double)all : 0, seconds(row->row.device),
        seconds(row->row.gmp), stats_calls(&row->row), (uint64_t)row->row.calls[OUTCOME_DONE]);
    put_sizes(&l, row);
    put(&l, " %-15s %s", row->function, row->place);
    if (r->processes > 1)
        put(&l, " (%s)", row->program);
    put_reasons(&l, &row->row);
    run_say("%s", l.s);
}

static void print_process(const struct report_process *p) {
    if (*p->reason)
        run_say("%s, process %" PRId64 ": no call of GMP was intercepted: %s", p->program,
                p->number, p->reason);
    else
        run_say("%s, process %" PRId64 ", %.3f s: %" PRIu64 " calls, %.3f s in them%s", p->program,
                p->number, seconds(p->elapsed), stats_calls(&p->sum), seconds(report_time(&p->sum)),
                p->is_over ? "" : "; up to its last call, since it did not end by exit");
}

static void print_rows(const struct report *r) {
    run_say("%9s %7s %9s %9s %9s %9s  %-17s %-15s %s", "seconds", "share", "device s", "on GMP s",
            "calls", "sent", "limbs", "function", "place; why not sent");
    for (size_t i = 0; i < r->rows && i < ROWS; i++)
        print_row(r, &r->row[i]);
    if (r->rows > ROWS)
        run_say("%zu more rows, which the page has", r->rows - ROWS);
    struct report_row sum = {.place = "all places", .function = "all"};
    stats_add_row(&sum.row, &r->sum);
    sum.least = r->rows ? r->row[0].least : 0;
    for (size_t i = 0; i < r->rows; i++) {
        sum.least = r->row[i].least < sum.least ? r->row[i].least : sum.least;
        sum.most = r->row[i].most > sum.most ? r->row[i].most : sum.most;
    }
    print_row(&(struct report){.sum = r->sum, .processes = 1}, &sum);
}

void report_text(const struct report *r) {
    run_say("profile of %s: %.3f s%s%s, %.3f s in calls at or above the thresholds", r->command,
            r->seconds, *r->end ? ", " : "", r->end, seconds(report_time(&r->sum)));
    for (size_t i = 0; i < r->processes; i++)
        print_process(&r->process[i]);
    if (!r->processes)
        run_say("no process has called GMP with operands at or above the thresholds");
    if (r->rows)
        print_rows(r);
    if (r->lost)
        run_say("%" PRIu64 " calls from further places are not in the rows", r->lost);
}
