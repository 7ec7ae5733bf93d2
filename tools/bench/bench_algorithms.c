/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Algorithms beside one another: a line an operation and size, for each column every algorithm,
 * medians in ms.  Where one does not serve a size, the library takes another (`log:2` says so). */
#include <stdio.h>

#include "lib/base/conf.h"
#include "tools/bench/bench_modes.h"

static const struct {
    enum conf_algorithm algorithm;
    const char *name;
} algorithms[] = {
    {ALGORITHM_NTT, "ntt"}, {ALGORITHM_SSA, "ssa"},   {ALGORITHM_BLOCK, "block"},
    {ALGORITHM_FFT, "fft"}, {ALGORITHM_AUTO, "auto"},
};
enum { COUNT = sizeof algorithms / sizeof *algorithms };

static void print_header(const struct bench_options *options) {
    char name[24];
    printf("medians in ms\n%-9s %-11s", "operation", "bits");
    for (int i = 0; i < options->column_count; i++)
        for (int k = 0; k < COUNT; k++) {
            snprintf(name, sizeof name, "%s:%s", bench_column_names[options->columns[i]],
                     algorithms[k].name);
            printf(" %12s", name);
        }
    putchar('\n');
}

/* One figure, by the algorithm that the options name now. */
static void measure(const struct bench_options *options, const char *operation, const char *name,
                    enum bench_column column, struct bench_work *w, struct bench_report *report) {
    struct bench_candidate candidate;
    struct bench_figure figure;
    char candidate_name[24];
    bench_candidate_open(&candidate, column, w);
    bench_measure(&candidate, 1, &options->budget, &figure);
    bench_candidate_close(&candidate);
    snprintf(candidate_name, sizeof candidate_name, "%s:%s", bench_column_names[column], name);
    bench_report_time(report, operation, w, candidate_name, &figure);
    if (figure.time.median < 0)
        printf(" %12s", "-");
    else
        printf(" %11.4g%c", figure.time.median * 1e3, figure.state == BENCH_WRONG ? '!' : ' ');
    fflush(stdout);
}

/* One column's algorithms; false if there is no memory. */
static bool measure_column(const struct bench_options *options, const struct bench_shape *shape,
                           uint64_t bits, enum bench_column column, struct bench_report *report) {
    struct bench_work w;
    if (!bench_work_open(&w, shape->operation, bench_column_memory(column), bits))
        return false;
    bench_work_size(&w, bits, shape->ratio);
    const int before = mpgpu_conf.algorithm;
    for (int k = 0; k < COUNT; k++) {
        mpgpu_conf.algorithm = algorithms[k].algorithm;
        measure(options, shape->name, algorithms[k].name, column, &w, report);
    }
    mpgpu_conf.algorithm = before;
    bench_work_close(&w);
    return true;
}

int bench_algorithms(const struct bench_options *options, struct bench_report *report) {
    print_header(options);
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++) {
            const struct bench_shape *shape = &options->shapes[i];
            char bits[24];
            printf("%-9s %-11s", shape->name, bench_bits_text(options->bits[k], bits));
            for (int c = 0; c < options->column_count; c++)
                if (!measure_column(options, shape, options->bits[k], options->columns[c], report))
                    return 2;
            putchar('\n');
        }
    return 0;
}
