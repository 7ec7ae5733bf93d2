/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations a second on many numbers by the batch calls: on the device, and from arrays of mpz_t
 * to arrays of mpz_t; beside GMP on all CPUs. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/session/session.h"
#include "tools/bench/arrays/bench_arrays_call.h"
#include "tools/bench/bench_modes.h"

enum { COUNT = 10000, COUNT_CPU = 100, COMPARED = 20, MOST_CPUS = 256 };

/* ---- a run of each column */

/* A thread's numbers: each so many. */
struct share {
    const struct bench_arrays *a;
    size_t first, step;
    pthread_t thread;
};

static void *work(void *argument) {
    const struct share *s = argument;
    for (size_t i = s->first; i < s->a->count; i += s->step)
        s->a->call->gmp(s->a, s->a->r.number[i], i);
    return NULL;
}

static size_t cpus(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > MOST_CPUS ? MOST_CPUS : (size_t)count;
}

static int by_gmp(void *context) {
    struct share share[MOST_CPUS];
    size_t threads = cpus(), started = 0;
    for (; started < threads; started++) {
        share[started] = (struct share){context, started, threads, 0};
        if (pthread_create(&share[started].thread, NULL, work, &share[started]) != 0)
            break;
    }
    for (size_t k = 0; k < started; k++)
        pthread_join(share[k].thread, NULL);
    return started < threads;
}

static int set(const struct bench_arrays *a, const struct bench_arrays_numbers *x) {
    return x->limbs ? a->lib->batch_set_mpz(x->batch, (const mpz_t *)x->number) : 0;
}

static int get(const struct bench_arrays *a, const struct bench_arrays_numbers *x) {
    return x->limbs ? a->lib->batch_get_mpz(x->number, x->batch) : 0;
}

static int on_device(void *context) {
    const struct bench_arrays *a = context;
    return a->call->run(a);
}

/* Moduli stay what they are. */
static int between_arrays(void *context) {
    const struct bench_arrays *a = context;
    return set(a, &a->u) || set(a, &a->v) || a->call->run(a) || get(a, &a->r) || get(a, &a->extra);
}

static int (*const runs[BENCH_COLUMNS])(void *context) = {
    [BENCH_GMP] = by_gmp, [BENCH_MALLOC] = between_arrays, [BENCH_DEVICE] = on_device};

/* ---- measuring */

static size_t compared(const struct bench_arrays *a, size_t k) {
    return k * (a->count - 1) / (COMPARED - 1);
}

/* Result i, and the other one where there is one, beside GMP's. */
static bool is_right(const struct bench_arrays *a, size_t i) {
    const bool has_other = a->call->extra_times > 0;
    mpz_t right, other;
    mpz_inits(right, other, NULL);
    if (has_other)
        mpz_set(other, a->extra.number[i]);
    a->call->gmp(a, right, i);
    bool is_same = mpz_cmp(right, a->r.number[i]) == 0;
    is_same &= !has_other || mpz_cmp(other, a->extra.number[i]) == 0;
    mpz_clears(right, other, NULL);
    return is_same;
}

/* The column once, with some of its results, which are not those of another column. */
static enum bench_state compare(struct bench_arrays *a, enum bench_column column) {
    for (size_t k = 0; k < COMPARED; k++)
        mpz_set_si(a->r.number[compared(a, k)], -1);
    if (runs[column](a) || (column == BENCH_DEVICE && (get(a, &a->r) || get(a, &a->extra)))) {
        fprintf(stderr, "mpgpu-bench: %s: %s\n", a->call->name, a->lib->error());
        return BENCH_FAILED;
    }
    enum bench_state state = BENCH_RIGHT;
    for (size_t k = 0; k < COMPARED && state == BENCH_RIGHT; k++)
        state = is_right(a, compared(a, k)) ? BENCH_RIGHT : BENCH_WRONG;
    return state;
}

/* All columns in turns. */
static void measure(const struct bench_options *options, struct bench_arrays *a,
                    struct bench_figure *figures) {
    struct timing_task tasks[BENCH_COLUMNS];
    struct timing times[BENCH_COLUMNS];
    for (int k = 0; k < options->column_count; k++) {
        figures[k].state = compare(a, options->columns[k]);
        tasks[k] = (struct timing_task){.run = runs[options->columns[k]], .context = a};
    }
    timing_measure(tasks, options->column_count, &options->budget, times);
    for (int k = 0; k < options->column_count; k++) {
        figures[k].time = times[k];
        if (times[k].runs == 0)
            figures[k].state = BENCH_FAILED;
    }
}

static void tell(struct bench_report *report, const struct bench_shape *shape, uint64_t bits,
                 const struct bench_arrays *a, const char *column, struct bench_figure figure) {
    const double count = (double)a->count;
    struct bench_record record = {.bits = bits,
                                  .un = a->u.limbs,
                                  .vn = a->v.limbs,
                                  .rn = a->r.limbs,
                                  .unit = "per second",
                                  .runs = figure.time.runs,
                                  .state = figure.state};
    snprintf(record.operation, sizeof record.operation, "%s", shape->name);
    snprintf(record.candidate, sizeof record.candidate, "%s", column);
    if (figure.state == BENCH_FAILED) {
        printf(" %12s", "-");
    } else {
        record.median = count / figure.time.median;
        record.low = count / figure.time.high;
        record.high = count / figure.time.low;
        printf(" %12.4g%s", record.median, figure.state == BENCH_WRONG ? " WRONG" : "");
    }
    bench_report_add(report, &record);
}

/* An operation at a size. */
static void measure_at(const struct bench_options *options, struct bench_report *report,
                       const struct bench_shape *shape, uint64_t bits, struct bench_arrays *a) {
    struct bench_figure figures[BENCH_COLUMNS] = {{{-1, -1, -1, 0}, BENCH_FAILED}};
    char text[24];
    printf("%-14s %-8s", shape->name, bench_bits_text(bits, text));
    fflush(stdout);
    if (bench_arrays_open(a, bits, shape->ratio))
        measure(options, a, figures);
    else
        fprintf(stderr, "mpgpu-bench: %s: %s\n", shape->name, a->lib->error());
    for (int k = 0; k < options->column_count; k++)
        tell(report, shape, bits, a, bench_column_names[options->columns[k]], figures[k]);
    printf("%s\n", a->r.batch && a->lib->batch_on_device(a->r.batch) ? "" : "  on the host");
    bench_arrays_close(a);
}

static size_t count_of(const struct bench_options *options) {
    struct gpu_device dev;
    struct profile unused;
    if (options->count > 0)
        return (size_t)options->count;
    bool has_gpu = session_profile(&dev, &unused) == OUTCOME_DONE && !dev.caps.is_cpu;
    return has_gpu ? COUNT : COUNT_CPU;
}

int bench_arrays(const struct bench_options *options, struct bench_report *report) {
    struct bench_arrays_library lib;
    const size_t count = count_of(options);
    if (!bench_arrays_library_open(&lib, options->library, options->conf))
        return 2;
    printf("Operations a second on %zu numbers; gmp: %zu threads\n%-14s %-8s", count, cpus(),
           "operation", "bits");
    for (int k = 0; k < options->column_count; k++)
        printf(" %12s", bench_column_names[options->columns[k]]);
    printf("\n");
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++) {
            struct bench_arrays a = {
                .lib = &lib, .call = options->shapes[i].arrays, .count = count};
            measure_at(options, report, &options->shapes[i], options->bits[k], &a);
        }
    return 0;
}
