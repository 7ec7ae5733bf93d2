/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The size from which on the device is faster than GMP on one thread: doubled until it is
 * twice in a row, then closed in on. */
#include <math.h>
#include <stdio.h>

#include "tools/bench/bench_modes.h"

enum { FIRST_BITS = 1 << 10 };

/* The search at work. */
struct search {
    const struct bench_options *options;
    const struct bench_shape *shape;
    enum bench_column column;
    struct bench_work work;
    struct bench_report *report;
    int failed;
};

/* GMP's time over the column's. */
static double gain_at(struct search *s, uint64_t bits) {
    struct bench_candidate candidates[2];
    struct bench_figure figures[2];
    bench_work_size(&s->work, bits, s->shape->ratio);
    bench_candidate_open(&candidates[0], BENCH_GMP, &s->work);
    bench_candidate_open(&candidates[1], s->column, &s->work);
    bench_measure(candidates, 2, &s->options->budget, figures);
    for (int i = 0; i < 2; i++) {
        bench_report_time(s->report, s->shape->name, &s->work,
                          bench_column_names[candidates[i].column], &figures[i]);
        s->failed |= figures[i].state != BENCH_RIGHT;
        bench_candidate_close(&candidates[i]);
    }
    double gain = figures[0].time.median / figures[1].time.median;
    printf("%-9s %-11llu %12.5f %12.5f %8.2f\n", s->shape->name, (unsigned long long)bits,
           figures[0].time.median * 1e3, figures[1].time.median * 1e3, gain);
    fflush(stdout);
    return gain;
}

/* The least size found from which on there is gain, 0 if there is none up to `most`. */
static uint64_t find(struct search *s, uint64_t most) {
    uint64_t slow = FIRST_BITS, fast = 0;
    for (uint64_t bits = FIRST_BITS; bits <= most && !s->failed; bits *= 2) {
        if (gain_at(s, bits) < 1) {
            slow = bits, fast = 0;
        } else if (fast) {
            break;
        } else {
            fast = bits;
        }
    }
    while (fast > slow + slow / 50 + 64 && !s->failed) {
        uint64_t middle = (uint64_t)sqrt((double)slow * (double)fast);
        if (gain_at(s, middle) < 1)
            slow = middle;
        else
            fast = middle;
    }
    return s->failed ? 0 : fast;
}

static void tell(const struct search *s, uint64_t bits, uint64_t most) {
    double limbs = (double)((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
    const struct bench_work found = {.bits = bits};
    char candidate[24];
    snprintf(candidate, sizeof candidate, "crossover-%s", bench_column_names[s->column]);
    bench_report_value(s->report, s->shape->name, &found, candidate, "limbs", limbs,
                       s->failed ? BENCH_FAILED : BENCH_RIGHT);
    if (s->failed)
        printf("%s: failed, or wrong\n", s->shape->name);
    else if (bits)
        printf("%s: %s gains from %llu bits (2^%.2f, %.0f limbs) on\n", s->shape->name,
               bench_column_names[s->column], (unsigned long long)bits, log2((double)bits), limbs);
    else
        printf("%s: %s gains nothing up to %llu bits\n", s->shape->name,
               bench_column_names[s->column], (unsigned long long)most);
}

int bench_crossover(const struct bench_options *options, struct bench_report *report) {
    const uint64_t most = options->bits[options->sizes - 1];
    int failed = 0;
    printf("%-9s %-11s %12s %12s %8s\n", "operation", "bits", "gmp, ms", "device, ms", "gain");
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->column_count; k++) {
            struct search s = {.options = options, .shape = &options->shapes[i]};
            s.column = options->columns[k];
            s.report = report;
            if (!bench_work_open(&s.work, s.shape->operation, bench_column_memory(s.column), most))
                return 2;
            uint64_t bits = find(&s, most);
            tell(&s, bits, most);
            failed |= s.failed;
            bench_work_close(&s.work);
        }
    return failed;
}
