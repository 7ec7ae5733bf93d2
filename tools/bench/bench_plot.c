/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Log-log plots of times through gnuplot: a panel an operation, a line a column.  Where there are
 * none, those of tools/bench/threads. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/bench_report.h"
#include "tools/bench/threads/bench_threads_plot.h"

enum { MOST_LINES = 16, WIDTH = 800, HEIGHT = 560 };

/* The names that occur: of operations, or of columns. */
struct names {
    const char *name[MOST_LINES];
    int count;
};

static void note(struct names *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return;
    if (names->count < MOST_LINES)
        names->name[names->count++] = name;
}

/* What a column's line is called. */
static const char *legend(const char *column) {
    static const char *const legends[][2] = {{"gmp", "GMP, one thread"},
                                             {"malloc", "host to host, malloc"},
                                             {"fresh", "host to host, fresh result"},
                                             {"paused", "host to host, after a pause"},
                                             {"pool", "host to host, the pool"},
                                             {"device", "on the device"},
                                             {"link", "the link alone"}};
    for (size_t i = 0; i < sizeof legends / sizeof *legends; i++)
        if (strcmp(legends[i][0], column) == 0)
            return legends[i][1];
    return column;
}

static bool is_drawn(const struct bench_record *r) {
    return strcmp(r->unit, "ms") == 0 && r->median > 0;
}

static void find_names(const struct bench_report *report, struct names *operations,
                       struct names *columns) {
    operations->count = columns->count = 0;
    for (size_t i = 0; i < report->count; i++)
        if (is_drawn(&report->records[i])) {
            note(operations, report->records[i].operation);
            note(columns, report->records[i].candidate);
        }
}

/* The last figure of a line; 0 if it has none. */
static double end_of(const struct bench_report *report, const char *operation, const char *column) {
    double end = 0;
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++)
        if (is_drawn(r) && !strcmp(r->operation, operation) && !strcmp(r->candidate, column))
            end = r->median;
    return end;
}

/* Sorts columns by the ends of their lines, the highest first, which the legend follows. */
static void sort_by_ends(const struct bench_report *report, const char *operation,
                         struct names *columns) {
    for (int i = 1; i < columns->count; i++) {
        const char *column = columns->name[i];
        double end = end_of(report, operation, column);
        int j = i;
        for (; j > 0 && end_of(report, operation, columns->name[j - 1]) < end; j--)
            columns->name[j] = columns->name[j - 1];
        columns->name[j] = column;
    }
}

/* The number of a column's colour, the same in all panels. */
static int colour_of(const struct names *all, const char *column) {
    int i = 0;
    while (i < all->count && strcmp(all->name[i], column) != 0)
        i++;
    return i + 1;
}

/* The points of a line, as a data block $dI_J. */
static int put_points(FILE *to, const struct bench_report *report, const char *operation,
                      const char *column, int i, int j) {
    int points = 0;
    fprintf(to, "$d%d_%d << EOD\n", i, j);
    for (const struct bench_record *r = report->records; r < report->records + report->count; r++)
        if (is_drawn(r) && !strcmp(r->operation, operation) && !strcmp(r->candidate, column)) {
            fprintf(to, "%" PRIu64 " %g %g %g\n", r->bits, r->median, r->low, r->high);
            points++;
        }
    fputs("EOD\n", to);
    return points;
}

static void put_line(FILE *to, int i, int j, const char *column, int colour) {
    fprintf(to,
            "$d%d_%d using 1:2:3:4 with yerrorbars lw 1 pt 0 lc %d notitle, "
            "$d%d_%d using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc %d title '%s'",
            i, j, colour, i, j, colour, legend(column));
}

static void put_panel(FILE *to, const struct bench_report *report, const struct names *operations,
                      const struct names *all, int i) {
    struct names columns = *all;
    int has[MOST_LINES], first = 1;
    sort_by_ends(report, operations->name[i], &columns);
    for (int j = 0; j < columns.count; j++)
        has[j] = put_points(to, report, operations->name[i], columns.name[j], i, j);
    fprintf(to, "set title '%s'\nplot ", operations->name[i]);
    for (int j = 0; j < columns.count; j++)
        if (has[j]) {
            fputs(first ? "" : ", ", to);
            put_line(to, i, j, columns.name[j], colour_of(all, columns.name[j]));
            first = 0;
        }
    fputc('\n', to);
}

/* A path or a name within gnuplot's quotation marks. */
static void put_quoted(FILE *to, const char *text) {
    putc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', to);
        if ((unsigned char)*text >= ' ')
            putc(*text, to);
    }
    putc('\'', to);
}

static void put_axes(FILE *to) {
    fputs("set logscale x 2\nset logscale y 10\nset format x '2^{%L}'\nset format y '10^{%L}'\n"
          "set xlabel 'bits of the first operand'\nset ylabel 'ms'\nset grid\n"
          "set key left top Left reverse\n",
          to);
}

/* Line types whose colours are dark enough for a white page, where gnuplot's own have a yellow. */
static void put_colours(FILE *to) {
    static const char *const colours[] = {"#0060b0", "#c05000", "#007a55", "#8a3fa0",
                                          "#8a6d00", "#b0285a", "#1f2328", "#57606a"};
    int count = (int)(sizeof colours / sizeof *colours);
    for (int i = 0; i < count; i++)
        fprintf(to, "set linetype %d lc rgb '%s'\n", i + 1, colours[i]);
    fprintf(to, "set linetype cycle %d\n", count);
}

static void put_title(FILE *to, const struct bench_report *report) {
    char title[sizeof report->device + sizeof report->gmp + sizeof report->date + 32];
    snprintf(title, sizeof title, "%s; GMP %s; %s", report->device, report->gmp, report->date);
    put_quoted(to, title);
    fputs(" noenhanced\n", to);
}

static void put_script(FILE *to, const struct bench_report *report, const char *path) {
    struct names operations, columns;
    find_names(report, &operations, &columns);
    bool is_of_times = operations.count > 0;
    int panels = is_of_times ? operations.count : bench_threads_plot_panels(report);
    int across = panels > 1 ? 2 : 1, down = panels > 0 ? (panels + across - 1) / across : 1;
    int is_svg = strcmp(strrchr(path, '.'), ".svg") == 0;
    fprintf(to, "set terminal %s size %d,%d%s\nset output ", is_svg ? "svg" : "png", WIDTH * across,
            HEIGHT * down, is_svg ? " background 'white'" : "");
    put_quoted(to, path);
    fputc('\n', to);
    put_colours(to);
    (is_of_times ? put_axes : bench_threads_plot_axes)(to);
    fprintf(to, "set multiplot layout %d,%d title ", down, across);
    put_title(to, report);
    for (int i = 0; i < operations.count; i++)
        put_panel(to, report, &operations, &columns, i);
    if (!is_of_times)
        bench_threads_plot(to, report);
    fputs("unset multiplot\n", to);
}

bool bench_report_plot(const struct bench_report *report, const char *path) {
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        fprintf(stderr,
                "mpgpu-bench: %s not drawn: gnuplot is not installed (with --csv FILE now, "
                "--read FILE --plot %s draws it where it is)\n",
                path, path);
        return false;
    }
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot) {
        perror("mpgpu-bench: gnuplot");
        return false;
    }
    put_script(gnuplot, report, path);
    bool done = pclose(gnuplot) == 0 && access(path, R_OK) == 0;
    if (!done)
        fprintf(stderr, "mpgpu-bench: gnuplot could not draw %s\n", path);
    return done;
}
