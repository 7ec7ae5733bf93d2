/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Forward transforms of floats and doubles on the device, single and batched, beside those of cuFFT
 * or FFTW in turns: the table of Eric Bainville, OpenCL Fast Fourier Transform, 2010,
 * http://www.bealto.com/gpu-fft.html. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/stats.h"
#include "lib/fft/fft.h"
#include "lib/session/session.h"
#include "tools/bench/fft/bench_fft.h"
#include "tools/bench/bench_modes.h"

enum { LOG_TOTAL = 24, LOG_TOTAL_CPU = 20, MOST_TIMES = 1000 };

static const double least_seconds = 4e-3; /* of a run, by repeating the transform */

static const char *const kinds[2][2] = {{"cfloat", "rfloat"}, {"cdouble", "rdouble"}};

enum { OURS, PEER, FIGURES };

/* What was found out about one transform. */
struct result {
    const struct bench_peer *peer; /* NULL: none */
    struct bench_figure figures[FIGURES];
    double error, difference; /* of the root mean square; negative: not known */
};

/* ---- who computes */

static enum gpu_status forward(struct context *s, struct bench_pass *pass) {
    const struct bench_fft *f = pass->context;
    return f->plan.is_real
               ? fft_real_forward(s, &f->plan, pass->to.mem, pass->from.mem, f->batch)
               : fft_complex(s, &f->plan, FFT_FORWARD, pass->to.mem, pass->from.mem, f->batch);
}

struct runner {
    struct bench_fft *fft;
    const struct bench_peer *peer; /* NULL: ours */
    void *state;
    int times;
};

static int repeat(const struct runner *r, int times) {
    return r->peer ? r->peer->run(r->state, times) : bench_pass_repeat(&r->fft->pass, times);
}

static int run(void *context) {
    const struct runner *r = context;
    return repeat(r, r->times);
}

/* Before each run: the other one worked last. */
static int warm(void *context) {
    return repeat(context, 1);
}

/* How often a run repeats the transform. */
static int times_of(struct runner *r) {
    if (repeat(r, 1))
        return 1;
    double start = stats_clock();
    repeat(r, 3);
    double times = 3 * least_seconds / (stats_clock() - start);
    return times < 1 ? 1 : times > MOST_TIMES ? MOST_TIMES : (int)times + 1;
}

/* ---- one transform */

static void close_fft(struct bench_fft *f) {
    bench_pass_close(&f->pass);
    free(f->x);
    free(f->y);
    free(f->z);
}

static bool open_fft(struct bench_fft *f) {
    size_t from = bench_fft_from(f), to = bench_fft_to(f);
    f->pass = (struct bench_pass){.work = forward, .context = f};
    f->x = malloc(from), f->y = malloc(to), f->z = malloc(to);
    if (!f->x || !f->y || !f->z || bench_pass_open(&f->pass, (from > to ? from : to) / 4 + 1))
        return false;
    bench_fft_fill(f);
    return bench_pass_load(&f->pass, 0, f->x, from / 4) == 0;
}

/* Ours by sums, and beside the other one's. */
static enum bench_state verify(struct bench_fft *f, const struct runner *peer, struct result *r) {
    const double most = bench_fft_most(&f->plan);
    if (bench_pass_run(&f->pass) || bench_pass_fetch(&f->pass, 0, f->y, bench_fft_to(f) / 4))
        return BENCH_FAILED;
    r->error = bench_fft_error(f);
    if (peer->state && repeat(peer, 1) == 0 && peer->peer->fetch(peer->state, f) == 0)
        r->difference = bench_fft_difference(f);
    return r->error <= most && r->difference <= most ? BENCH_RIGHT : BENCH_WRONG;
}

static void time_both(const struct bench_options *options, struct runner runners[FIGURES],
                      struct result *r) {
    struct timing_task tasks[FIGURES];
    struct timing times[FIGURES];
    int count = runners[PEER].state ? FIGURES : 1;
    for (int i = 0; i < count; i++) {
        runners[i].times = times_of(&runners[i]);
        tasks[i] = (struct timing_task){warm, run, &runners[i], runners[i].times};
    }
    int failed = timing_measure(tasks, count, &options->budget, times);
    for (int i = 0; i < count; i++)
        r->figures[i] = (struct bench_figure){
            times[i], failed < 0 || times[i].runs == 0 ? BENCH_FAILED : BENCH_RIGHT};
}

static struct result measure(const struct bench_options *options, const struct gpu_device *dev,
                             struct bench_fft *f) {
    const struct bench_figure none = {{-1, -1, -1, 0}, BENCH_FAILED};
    struct result r = {bench_fft_peer(f, dev), {none, none}, -1, -1};
    struct runner runners[FIGURES] = {{.fft = f}, {.fft = f, .peer = r.peer}};
    if (!open_fft(f)) {
        close_fft(f);
        return r;
    }
    if (r.peer)
        runners[PEER].state = r.peer->open(f, dev);
    enum bench_state state = verify(f, &runners[PEER], &r);
    if (state != BENCH_FAILED)
        time_both(options, runners, &r);
    if (state == BENCH_WRONG)
        r.figures[OURS].state = state;
    if (runners[PEER].state)
        r.peer->close(runners[PEER].state);
    close_fft(f);
    return r;
}

/* ---- telling */

static void print_figure(const struct bench_figure *figure, double bytes) {
    if (figure->time.median > 0)
        printf(" %12.5f %8.1f", figure->time.median * 1e3, bytes / figure->time.median * 1e-9);
    else
        printf(" %12s %8s", "-", "-");
}

static void print_number(const char *format, const char *otherwise, double value) {
    if (value >= 0)
        printf(format, value);
    else
        printf("%s", otherwise);
}

static void tell(struct bench_report *report, const struct bench_fft *f, const struct result *r) {
    const double bytes = (double)bench_fft_from(f) + (double)bench_fft_to(f);
    const struct bench_figure *ours = &r->figures[OURS], *peer = &r->figures[PEER];
    const char *kind = kinds[f->plan.precision][f->plan.is_real];
    const uint64_t bits = 8 * (uint64_t)bench_fft_from(f);
    char name[24], text[24];
    bool both = ours->time.median > 0 && peer->time.median > 0;
    double ratio = both ? ours->time.median / peer->time.median : -1;
    snprintf(name, sizeof name, "%s-%llux%llu", kind, (unsigned long long)f->plan.n,
             (unsigned long long)f->batch);
    printf("%-8s %9s %8llu", kind, bench_bits_text(f->plan.n, text), (unsigned long long)f->batch);
    print_figure(ours, bytes);
    printf("  %-13s", r->peer ? r->peer->name : "-");
    print_figure(peer, bytes);
    print_number(" %7.3f", "       -", ratio);
    print_number(" %8.1e", "        -", r->error);
    print_number(" %10.1e", "          -", r->difference);
    printf("%s\n", ours->state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
    bench_pass_tell(report, name, bits, "fft", ours);
    if (peer->time.median > 0)
        bench_pass_tell(report, name, bits, r->peer->name, peer);
    if (ratio > 0)
        bench_pass_tell_value(report, name, bits, "time-over-peer", "ratio", ratio, ours->state);
}

static void measure_length(const struct bench_options *options, const struct gpu_device *dev,
                           uint64_t n, uint64_t batch, struct bench_report *report) {
    for (int precision = FFT_FLOAT; precision <= FFT_DOUBLE; precision++)
        for (int is_real = 0; is_real < 2; is_real++) {
            struct bench_fft f = {.batch = batch};
            if (!fft_plan_init(&f.plan, (enum fft_precision)precision, is_real, n))
                continue;
            struct result r = measure(options, dev, &f);
            tell(report, &f, &r);
        }
}

int bench_fft(const struct bench_options *options, struct bench_report *report) {
    struct gpu_device dev;
    struct profile unused;
    if (session_profile(&dev, &unused) != OUTCOME_DONE)
        return 2;
    int otherwise = dev.caps.is_cpu ? LOG_TOTAL_CPU : LOG_TOTAL;
    uint64_t total = UINT64_C(1) << (options->log_total > 0 ? options->log_total : otherwise);
    printf("GB/s: the values read once, their transforms written once; error and difference by "
           "rms(y)\n%-8s %9s %8s %12s %8s  %-13s %12s %8s %7s %8s %10s\n",
           "values", "length", "batch", "ms", "GB/s", "beside", "ms", "GB/s", "ratio", "error",
           "difference");
    for (int k = 0; k < options->sizes; k++) {
        const uint64_t n = options->bits[k];
        measure_length(options, &dev, n, 1, report);
        if (total / n > 1)
            measure_length(options, &dev, n, total / n, report);
    }
    return 0;
}
