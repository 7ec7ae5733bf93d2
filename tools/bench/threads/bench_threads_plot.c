/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A panel is one operation by threads or by processes.  Each size has a color: a line with points
 * for the library, a dashed one for GMP. */
#include "config.h"

#include "tools/bench/threads/bench_threads_plot.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_options.h"

enum { MOST_PANELS = 2 * BENCH_MOST_SHAPES, MOST_LINES = 32 };

static const char *const kinds[] = {"threads", "processes"};

struct panel {
    const char *operation, *kind;
};

/* Is it a figure of candidate "KIND-N", or, `by_gmp`, "gmp-KIND-N"?  *count is N. */
static bool is_of(const struct bench_record *r, const char *kind, bool by_gmp, int *count) {
    const char *name = r->candidate;
    size_t length = strlen(kind);
    if (strcmp(r->unit, "per second") != 0 || r->median <= 0)
        return false;
    if (strncmp(name, "gmp-", 4) == 0) {
        if (!by_gmp)
            return false;
        name += 4;
    } else if (by_gmp) {
        return false;
    }
    if (strncmp(name, kind, length) != 0 || name[length] != '-')
        return false;
    *count = atoi(name + length + 1);
    return *count > 0;
}

static int find_panels(const struct bench_report *report, struct panel panels[MOST_PANELS]) {
    int found = 0, count;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < report->count && found < MOST_PANELS; i++) {
            const struct bench_record *r = &report->records[i];
            bool is_new = is_of(r, kinds[k], false, &count);
            for (int j = 0; j < found && is_new; j++)
                is_new = panels[j].kind != kinds[k] || strcmp(panels[j].operation, r->operation);
            if (is_new)
                panels[found++] = (struct panel){r->operation, kinds[k]};
        }
    return found;
}

int bench_threads_plot_panels(const struct bench_report *report) {
    struct panel panels[MOST_PANELS];
    return find_panels(report, panels);
}

/* The sizes that a panel has. */
static int find_sizes(const struct bench_report *report, const struct panel *p,
                      uint64_t sizes[MOST_LINES]) {
    int found = 0, count;
    for (size_t i = 0; i < report->count && found < MOST_LINES; i++) {
        const struct bench_record *r = &report->records[i];
        bool is_new = strcmp(r->operation, p->operation) == 0 && is_of(r, p->kind, false, &count);
        for (int j = 0; j < found && is_new; j++)
            is_new = sizes[j] != r->bits;
        if (is_new)
            sizes[found++] = r->bits;
    }
    return found;
}

/* A line's points, as a data block. */
static void put_points(FILE *to, const struct bench_report *report, const struct panel *p,
                       uint64_t bits, int line, bool by_gmp) {
    int count;
    fprintf(to, "$%s%d << EOD\n", by_gmp ? "gmp" : "lib", line);
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++)
        if (r->bits == bits && strcmp(r->operation, p->operation) == 0 &&
            is_of(r, p->kind, by_gmp, &count))
            fprintf(to, "%d %g\n", count, r->median);
    fputs("EOD\n", to);
}

/* "2^{14}", or the number where it is no power of two. */
static const char *size_text(uint64_t bits, char text[32]) {
    if ((bits & (bits - 1)) == 0)
        snprintf(text, 32, "2^{%d}", __builtin_ctzll(bits));
    else
        snprintf(text, 32, "%" PRIu64, bits);
    return text;
}

static void put_panel(FILE *to, const struct bench_report *report, const struct panel *p) {
    uint64_t sizes[MOST_LINES];
    char bits[32];
    int count = find_sizes(report, p, sizes);
    for (int i = 0; i < count; i++) {
        put_points(to, report, p, sizes[i], i, false);
        put_points(to, report, p, sizes[i], i, true);
    }
    fprintf(to, "set title '%s'\nset xlabel '%s'\nplot ", p->operation, p->kind);
    for (int i = 0; i < count; i++)
        fprintf(to,
                "%s$lib%d using 1:2 with linespoints lw 2 pt %d ps 0.5 lc %d title '%s', "
                "$gmp%d using 1:2 with lines lw 1 dt 2 lc %d notitle",
                i ? ", " : "", i, i + 4, i + 1, size_text(sizes[i], bits), i, i + 1);
    fputs(", 1/0 with lines lw 1 dt 2 lc 'black' title 'GMP'\n", to);
}

void bench_threads_plot_axes(FILE *to) {
    fputs("set logscale x 2\nset logscale y 10\nset format y '10^{%L}'\n"
          "set ylabel 'operations a second by all of them'\nset grid\nset xrange [0.9:*]\n"
          "set key outside right top\n",
          to);
}

void bench_threads_plot(FILE *to, const struct bench_report *report) {
    struct panel panels[MOST_PANELS];
    int count = find_panels(report, panels);
    for (int i = 0; i < count; i++)
        put_panel(to, report, &panels[i]);
}
