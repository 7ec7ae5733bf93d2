/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times one huge product, whose result is as long as an mpz can be: first into untouched memory,
 * then into the same memory again.  Checks the results by residues modulo a random number. */
#include <unistd.h>

#include "lib/base/stats.h"
#include "tools/bench/bench.h"

static const size_t most_limbs = INT32_MAX; /* of an mpz */

/* Prints a message and returns false if the result is too long, or the machine's memory is too
 * small. */
static bool fits(const struct bench_work *w) {
    double bytes = 8.0 * (double)(w->un + w->vn + w->rn);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (w->rn > most_limbs)
        fprintf(stderr, "mpgpu-bench: longer than an mpz can be: %zu limbs\n", w->rn);
    else if (bytes > 0.9 * there)
        fprintf(stderr, "mpgpu-bench: %.1f GiB are needed, and this machine has %.1f GiB\n",
                bytes / (1 << 30), there / (1 << 30));
    return w->rn <= most_limbs && bytes <= 0.9 * there;
}

/* Computes the product, and returns its time and whether it is right. */
static struct bench_figure multiply(struct bench_work *w) {
    double start = stats_clock();
    int failed = w->operation->library(w);
    double seconds = failed ? -1 : stats_clock() - start;
    return bench_value(seconds, failed ? BENCH_FAILED : bench_work_check(w));
}

static int largest(const struct bench_shape *shape, enum bench_column column, uint64_t bits,
                   struct bench_report *report) {
    struct bench_work w = {.operation = shape->operation};
    const char *const names[] = {"fresh", bench_columns[column].name};
    int status = 0;
    bench_work_size(&w, bits, shape->ratio);
    const bool is_odd = w.rn == most_limbs + 1 && !shape->operation->is_square;
    w.vn -= is_odd, w.rn -= is_odd;
    if (!fits(&w) || !bench_work_open(&w, shape->operation, column, bits, true))
        return 3;
    bench_work_size(&w, bits, shape->ratio);
    w.vn -= is_odd, w.rn -= is_odd;
    bench_work_fill(&w);
    bench_work_row(report, shape, &w);
    for (int i = 0; i < 2 && status == 0; i++) {
        struct bench_figure figure = multiply(&w);
        status = figure.state != BENCH_RIGHT;
        bench_report_time(report, names[i], figure);
    }
    bench_report_print(report, "");
    bench_work_close(&w);
    return status;
}

int bench_largest(const struct bench_options *o, struct bench_report *report) {
    int status = 0;
    for (int i = 0; i < o->shape_count && status == 0; i++) {
        if (o->shapes[i].operation->kind != BENCH_PRODUCT) {
            fprintf(stderr, "mpgpu-bench: largest is for products: %s\n", o->shapes[i].name);
            return 2;
        }
        for (int k = 0; k < o->sizes && status == 0; k++)
            status = largest(&o->shapes[i], o->columns[0], o->bits[k], report);
    }
    return status;
}
