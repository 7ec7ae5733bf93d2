/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table: a line an operation and size, a column a candidate, medians in ms. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/session/session.h"
#include "tools/bench/bench_modes.h"

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

/* Of the columns from host to host the one that ratios are told of, or -1: its index. */
static int host_index(const struct bench_options *options) {
    int found = -1;
    for (int i = 0; i < options->column_count; i++)
        if (options->columns[i] == BENCH_MALLOC || options->columns[i] == BENCH_POOL)
            found = i;
    return found;
}

static int column_index(const struct bench_options *options, enum bench_column column) {
    for (int i = 0; i < options->column_count; i++)
        if (options->columns[i] == column)
            return i;
    return -1;
}

/* The columns of a ratio, by their indices; 0 if there is none such. */
struct ratio {
    int over, under;
};

static struct ratio ratio_of(const struct bench_options *options, int i) {
    int host = host_index(options), gmp = column_index(options, BENCH_GMP);
    return i == 0 ? (struct ratio){gmp, host}
                  : (struct ratio){host, column_index(options, BENCH_LINK)};
}

static void print_header(const struct bench_options *options) {
    printf("medians in ms, and half the distance of the quartiles in %% of them\n%-9s %-11s",
           "operation", "bits");
    for (int i = 0; i < options->column_count; i++)
        printf(" %14s", bench_column_names[options->columns[i]]);
    for (int i = 0; i < 2; i++) {
        struct ratio ratio = ratio_of(options, i);
        char text[32];
        if (ratio.over < 0 || ratio.under < 0)
            continue;
        snprintf(text, sizeof text, "%s/%s", bench_column_names[options->columns[ratio.over]],
                 bench_column_names[options->columns[ratio.under]]);
        printf(" %11s", text);
    }
    putchar('\n');
}

/* A figure, "-" if it could not be measured. */
static void print_figure(const struct bench_figure *f) {
    if (f->time.median < 0)
        printf(" %14s", "-");
    else
        printf(" %9.4g %3.0f%%", f->time.median * 1e3, bench_spread(&f->time));
}

static void print_ratios(const struct bench_options *options, const struct bench_figure *figures) {
    for (int i = 0; i < 2; i++) {
        struct ratio ratio = ratio_of(options, i);
        if (ratio.over < 0 || ratio.under < 0)
            continue;
        double over = figures[ratio.over].time.median, under = figures[ratio.under].time.median;
        if (over > 0 && under > 0)
            printf(" %11.2f", over / under);
        else
            printf(" %11s", "-");
    }
}

static void print_row(const struct bench_options *options, const struct bench_shape *shape,
                      const struct bench_work *w, const struct bench_figure *figures) {
    char bits[24];
    printf("%-9s %-11s", shape->name, bench_bits_text(w->bits, bits));
    for (int i = 0; i < options->column_count; i++)
        print_figure(&figures[i]);
    print_ratios(options, figures);
    for (int i = 0; i < options->column_count; i++)
        if (figures[i].state == BENCH_WRONG)
            printf("  WRONG: %s", bench_column_names[options->columns[i]]);
    putchar('\n');
    fflush(stdout);
}

/* All columns of an operation at a size; works[1], in the pool, is for its column. */
static void measure_row(const struct bench_options *options, const struct bench_shape *shape,
                        struct bench_work works[2], struct bench_report *report) {
    struct bench_candidate candidates[BENCH_COLUMNS];
    struct bench_figure figures[BENCH_COLUMNS];
    for (int i = 0; i < options->column_count; i++)
        bench_candidate_open(&candidates[i], options->columns[i],
                             &works[options->columns[i] == BENCH_POOL]);
    bench_measure(candidates, options->column_count, &options->budget, figures);
    for (int i = 0; i < options->column_count; i++) {
        bench_report_time(report, shape->name, &works[0], bench_column_names[options->columns[i]],
                          &figures[i]);
        bench_candidate_close(&candidates[i]);
    }
    print_row(options, shape, &works[0], figures);
}

/* A row; false if malloc has no memory for it. */
static bool row(const struct bench_options *options, const struct bench_shape *shape, uint64_t bits,
                struct bench_report *report) {
    struct bench_work works[2];
    if (!bench_work_open(&works[0], shape->operation, &bench_memory_malloc, bits))
        return false;
    works[1] = works[0];
    works[1].up = NULL; /* not there */
    if (bench_has_column(options, BENCH_POOL) && session_ready() == OUTCOME_DONE)
        bench_work_open(&works[1], shape->operation, &bench_memory_pool, bits);
    bench_work_size(&works[0], bits, shape->ratio);
    bench_work_size(&works[1], bits, shape->ratio);
    measure_row(options, shape, works, report);
    if (works[1].up)
        bench_work_close(&works[1]);
    bench_work_close(&works[0]);
    return true;
}

int bench_each(const struct bench_options *options, struct bench_report *report,
               bench_at_size *measure) {
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++) {
            const struct bench_shape *shape = &options->shapes[i];
            struct bench_work w;
            if (!bench_work_open(&w, shape->operation, bench_column_memory(options->columns[0]),
                                 options->bits[k]))
                return 2;
            bench_work_size(&w, options->bits[k], shape->ratio);
            measure(options, shape, &w, report);
            bench_work_close(&w);
        }
    return 0;
}

int bench_table(const struct bench_options *options, struct bench_report *report) {
    print_header(options);
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++)
            if (!row(options, &options->shapes[i], options->bits[k], report))
                return 2;
    return 0;
}
