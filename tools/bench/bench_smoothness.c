/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Smoothness: how much longer a product of 1.1 n takes than one of n, at worst.  Both are
 * timed in turns. */
#include <stdio.h>

#include "tools/bench/bench_modes.h"

enum { LARGE = 1 << 18 }; /* limbs from which on operands are made once a size */

struct worst {
    double ratio;
    uint64_t bits;
};

/* A size and the next, in memory for the largest. */
struct pair {
    struct bench_work work[2];
    struct bench_candidate candidate[2];
    struct bench_figure figure[2];
};

static void measure_pair(const struct bench_options *options, const struct bench_shape *shape,
                         enum bench_column column, const uint64_t bits[2], struct pair *p) {
    for (int i = 0; i < 2; i++) {
        bench_work_size(&p->work[i], bits[i], shape->ratio);
        bench_candidate_open(&p->candidate[i], column, &p->work[i]);
        bench_work_fill(&p->work[i]);
        p->candidate[i].fixed = p->work[i].un > LARGE && column != BENCH_DEVICE;
    }
    bench_measure(p->candidate, 2, &options->budget, p->figure);
    for (int i = 0; i < 2; i++)
        bench_candidate_close(&p->candidate[i]);
}

static void tell(const struct bench_shape *shape, enum bench_column column, const struct pair *p,
                 struct bench_report *report, struct worst *worst) {
    const char *name = bench_column_names[column];
    double n = p->figure[0].time.median, next = p->figure[1].time.median;
    double ratio = n > 0 && next > 0 ? next / n : -1;
    bool is_wrong = false;
    for (int i = 0; i < 2; i++) { /* the second one is the next pair's first, but at the end */
        is_wrong = is_wrong || p->figure[i].state == BENCH_WRONG;
        if (i == 0 || p->figure[i].state == BENCH_WRONG)
            bench_report_time(report, shape->name, &p->work[i], name, &p->figure[i]);
    }
    printf("%-9s %-14llu %12.4f %12.4f %8.3f%s\n", shape->name, (unsigned long long)p->work[0].bits,
           n * 1e3, next * 1e3, ratio, is_wrong ? "  WRONG" : "");
    fflush(stdout);
    if (ratio > worst->ratio)
        *worst = (struct worst){ratio, p->work[0].bits};
}

/* The worst ratio as a figure of its own. */
static void tell_worst(const struct bench_options *options, const struct bench_shape *shape,
                       enum bench_column column, const struct worst *worst,
                       struct bench_report *report) {
    const struct bench_work found = {.bits = worst->bits};
    char candidate[24];
    snprintf(candidate, sizeof candidate, "worst-%s", bench_column_names[column]);
    bench_report_value(report, shape->name, &found, candidate, "ratio", worst->ratio,
                       worst->ratio > 0 ? BENCH_RIGHT : BENCH_FAILED);
    printf("worst: %s, %s: time(%.3g n) = %.3f time(n) at n = %llu bits\n", shape->name,
           bench_column_names[column], options->factor, worst->ratio,
           (unsigned long long)worst->bits);
}

/* Another one, of however few bits. */
static uint64_t next_bits(uint64_t bits, double factor) {
    uint64_t next = (uint64_t)((double)bits * factor);
    return next > bits ? next : bits + 1;
}

static int curve(const struct bench_options *options, const struct bench_shape *shape,
                 enum bench_column column, struct bench_report *report) {
    const uint64_t last = options->bits[options->sizes - 1];
    struct worst worst = {-1, 0};
    struct pair p;
    if (!bench_work_open(&p.work[0], shape->operation, bench_column_memory(column), last))
        return 2;
    if (!bench_work_open(&p.work[1], shape->operation, bench_column_memory(column), last)) {
        bench_work_close(&p.work[0]);
        return 2;
    }
    uint64_t bits[2] = {options->bits[0], 0};
    while ((bits[1] = next_bits(bits[0], options->factor)) <= last) {
        measure_pair(options, shape, column, bits, &p);
        tell(shape, column, &p, report, &worst);
        bits[0] = bits[1];
    }
    tell_worst(options, shape, column, &worst, report);
    bench_work_close(&p.work[0]);
    bench_work_close(&p.work[1]);
    return 0;
}

int bench_smoothness(const struct bench_options *options, struct bench_report *report) {
    int status = 0;
    printf("%-9s %-14s %12s %12s %8s\n", "operation", "n, bits", "n, ms", "next, ms", "ratio");
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->column_count && status == 0; k++)
            status = curve(options, &options->shapes[i], options->columns[k], report);
    return status;
}
