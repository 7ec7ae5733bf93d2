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

static void put_panel(FILE *to, const struct bench_report *report, const struct names *operations,
                      const struct names *columns, int i) {
    int has[MOST_LINES], first = 1;
    for (int j = 0; j < columns->count; j++)
        has[j] = put_points(to, report, operations->name[i], columns->name[j], i, j);
    fprintf(to, "set title '%s'\nplot ", operations->name[i]);
    for (int j = 0; j < columns->count; j++)
        if (has[j]) {
            fprintf(to,
                    "%s$d%d_%d using 1:2 with linespoints lw 2 pt %d ps 0.6 lc %d title '%s', "
                    "$d%d_%d using 1:2:3:4 with yerrorbars lw 1 pt 0 lc %d notitle",
                    first ? "" : ", ", i, j, j + 4, j + 1, legend(columns->name[j]), i, j, j + 1);
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
          "set key left top\n",
          to);
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
    (is_of_times ? put_axes : bench_threads_plot_axes)(to);
    fprintf(to, "set multiplot layout %d,%d title ", down, across);
    put_quoted(to, report->device);
    fputs(" noenhanced\n", to);
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
