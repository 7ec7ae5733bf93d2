/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The mode fft: times forward transforms of floats and doubles on the device, single and batched,
 * alternately with cuFFT or FFTW.  Prints the same table as Eric Bainville, OpenCL Fast Fourier
 * Transform, 2010, http://www.bealto.com/gpu-fft.html. */
#include "lib/fft/fft.h"

#include <stdlib.h>

#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_fft.h"

enum { LOG_TOTAL = 24, LOG_TOTAL_CPU = 20 };

/* a run repeats the transform for at least this time */
static const double least_seconds = 4e-3;

static const char *const kinds[2][2] = {{"cfloat", "rfloat"}, {"cdouble", "rdouble"}};

enum { OURS, PEER, FIGURES };

/* ---- transforms on the device */

struct request {
    struct bench_fft *f;
    int times;
};

static int ask(enum gpu_status (*step)(struct context *s, void *context), struct bench_fft *f,
               int times) {
    struct request request = {f, times};
    return session_run(step, &request, sizeof request, SIZE_MAX / 2) != OUTCOME_DONE;
}

static enum gpu_status open_there(struct context *s, void *context) {
    struct bench_fft *f = ((struct request *)context)->f;
    enum gpu_status status = gpu_alloc(&s->dev, bench_fft_from(f), &f->from);
    status = status ? status : gpu_alloc(&s->dev, bench_fft_to(f), &f->to);
    status =
        status ? status : transfer_up(s->transfer, &s->queue, f->from, 0, f->x, bench_fft_from(f));
    return status ? status : gpu_finish(&s->queue);
}

static enum gpu_status close_there(struct context *s, void *context) {
    const struct bench_fft *f = ((struct request *)context)->f;
    if (f->from.h)
        gpu_release(&s->dev, f->from);
    if (f->to.h)
        gpu_release(&s->dev, f->to);
    return GPU_OK;
}

static enum gpu_status run_there(struct context *s, void *context) {
    const struct request *r = context;
    const struct bench_fft *f = r->f;
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < r->times && status == GPU_OK; i++)
        status = f->plan.is_real ? fft_real_forward(s, &f->plan, f->to, f->from, f->batch)
                                 : fft_complex(s, &f->plan, FFT_FORWARD, f->to, f->from, f->batch);
    return status ? status : gpu_finish(&s->queue);
}

static enum gpu_status fetch_there(struct context *s, void *context) {
    struct bench_fft *f = ((struct request *)context)->f;
    return transfer_down(s->transfer, &s->queue, f->y, f->to, 0, bench_fft_to(f));
}

/* ---- the two candidates: this library, and cuFFT or FFTW */

struct runner {
    struct bench_fft *fft;
    const struct bench_peer *peer; /* NULL: this library */
    void *state;
    int times;
};

static int repeat(const struct runner *r, int times) {
    return r->peer ? r->peer->run(r->state, times) : ask(run_there, r->fft, times);
}

static int run(void *context) {
    const struct runner *r = context;
    return repeat(r, r->times);
}

/* Runs the transform once untimed, before each timed run, because another library has just used the
 * device. */
static int warm(void *context) {
    return repeat(context, 1);
}

/* ---- one transform */

static void close_fft(struct bench_fft *f) {
    ask(close_there, f, 0);
    free(f->x);
    free(f->y);
    free(f->z);
}

static bool open_fft(struct bench_fft *f) {
    size_t to = bench_fft_to(f);
    f->x = malloc(bench_fft_from(f)), f->y = malloc(to), f->z = malloc(to);
    if (!f->x || !f->y || !f->z)
        return false;
    bench_fft_fill(f);
    return ask(open_there, f, 0) == 0;
}

/* Compares this library's transforms with sums computed on the host, and with the other library's
 * transforms (cuFFT or FFTW).  Sets *error and *difference to the largest differences, divided by
 * the root mean square of the transforms. */
static enum bench_state verify(struct bench_fft *f, const struct runner *peer, double *error,
                               double *difference) {
    const double most = bench_fft_most(&f->plan);
    if (ask(run_there, f, 1) || ask(fetch_there, f, 0))
        return BENCH_FAILED;
    *error = bench_fft_error(f);
    if (peer->state && repeat(peer, 1) == 0 && peer->peer->fetch(peer->state, f) == 0)
        *difference = bench_fft_difference(f);
    return *error <= most && *difference <= most ? BENCH_RIGHT : BENCH_WRONG;
}

static void time_both(const struct bench_options *options, struct runner runners[FIGURES],
                      struct bench_figure figures[FIGURES]) {
    struct timing_task tasks[FIGURES];
    int count = runners[PEER].state ? FIGURES : 1;
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct timing_task){warm, run, &runners[i], 1};
        runners[i].times = 1;
        runners[i].times = tasks[i].times = bench_times(&tasks[i], least_seconds);
    }
    bench_time(tasks, count, &options->budget, figures);
}

static void put(struct bench_report *report, const struct bench_fft *f, const char *peer,
                const struct bench_figure figures[FIGURES], double error, double difference) {
    const double bytes = (double)bench_fft_from(f) + (double)bench_fft_to(f);
    double ours = figures[OURS].time.median, theirs = figures[PEER].time.median;
    char name[24], note[64];
    snprintf(name, sizeof name, "%s-%llux%llu", kinds[f->plan.precision][f->plan.is_real],
             (unsigned long long)f->plan.n, (unsigned long long)f->batch);
    bench_report_row(report, name, 8 * (uint64_t)bench_fft_from(f), 0, 0, 0);
    bench_report_time(report, "fft", figures[OURS]);
    if (theirs > 0) {
        bench_report_time(report, peer, figures[PEER]);
        bench_report_put(report, "time-over-peer", "ratio",
                         ours > 0 ? bench_value(ours / theirs, figures[OURS].state)
                                  : bench_value(-1, BENCH_FAILED));
    }
    int used = snprintf(note, sizeof note, "  %.1f GB/s, error %.1e", bytes / ours * 1e-9, error);
    if (difference >= 0)
        snprintf(note + used, sizeof note - (size_t)used, ", difference %.1e", difference);
    bench_report_print(report, ours > 0 ? note : "");
}

static void measure(const struct bench_options *options, const struct gpu_device *dev,
                    struct bench_fft *f, struct bench_report *report) {
    const struct bench_peer *peer = bench_fft_peer(f, dev);
    struct bench_figure figures[FIGURES] = {bench_value(-1, BENCH_FAILED),
                                            bench_value(-1, BENCH_FAILED)};
    struct runner runners[FIGURES] = {{.fft = f}, {.fft = f, .peer = peer}};
    double error = -1, difference = -1;
    if (open_fft(f)) {
        if (peer)
            runners[PEER].state = peer->open(f, dev);
        enum bench_state state = verify(f, &runners[PEER], &error, &difference);
        if (state != BENCH_FAILED)
            time_both(options, runners, figures);
        if (state == BENCH_WRONG)
            figures[OURS].state = state;
        if (runners[PEER].state)
            peer->close(runners[PEER].state);
    }
    close_fft(f);
    put(report, f, peer ? peer->name : "", figures, error, difference);
}

static void measure_length(const struct bench_options *options, const struct gpu_device *dev,
                           uint64_t n, uint64_t batch, struct bench_report *report) {
    for (int precision = FFT_FLOAT; precision <= FFT_DOUBLE; precision++)
        for (int is_real = 0; is_real < 2; is_real++) {
            struct bench_fft f = {.batch = batch};
            if (fft_plan_init(&f.plan, (enum fft_precision)precision, is_real, n))
                measure(options, dev, &f, report);
        }
}

int bench_fft(const struct bench_options *options, struct bench_report *report) {
    struct gpu_device dev;
    struct profile unused;
    if (session_profile(&dev, &unused) != OUTCOME_DONE)
        return 2;
    int otherwise = dev.caps.is_cpu ? LOG_TOTAL_CPU : LOG_TOTAL;
    uint64_t total = UINT64_C(1) << (options->log_total > 0 ? options->log_total : otherwise);
    puts("GB/s: the values read once, their transforms written once; error and difference by "
         "rms(y)");
    for (int k = 0; k < options->sizes; k++) {
        const uint64_t n = options->bits[k];
        measure_length(options, &dev, n, 1, report);
        if (total / n > 1)
            measure_length(options, &dev, n, total / n, report);
    }
    return 0;
}
