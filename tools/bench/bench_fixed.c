/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times iterations of the Mandelbrot set by fixed-point numbers and by doubles on the device.  One
 * core computes iterations for comparison, by the host code of lib/fixed and by GMP's mpf.
 * The device's rate of products in registers is measured, too.  After Eric Bainville, CPU/GPU
 * Multiprecision Mandelbrot Set, 2009, http://www.bealto.com/mp-mandelbrot.html. */
#include <stdlib.h>
#include <string.h>

#include "kernels/fixed/multiply_rate.h"
#include "lib/base/stats.h"
#include "lib/device/launch.h"
#include "lib/fixed/mandelbrot.h"
#include "lib/session/session.h"
#include "tools/bench/bench.h"

/* SIDE, SIDE_CPU, SIDE_HOST: pixels of a view's side on a GPU, on a CPU device, and on one core.
 * MOST_SET: the most iterations for the view of the whole set.  CHECKED_ROW: the row that is
 * compared with the host's. */
enum { SIDE = 1024, SIDE_CPU = 64, SIDE_HOST = 8, MOST_SET = 2000, CHECKED_ROW = 37 };

/* A view to draw, and what computes it: the device, the host's code of lib/fixed, or GMP's mpf. */
struct drawing {
    struct mandelbrot_view view;
    uint32_t *iterations, *magnitudes; /* SIDE * SIDE values each */
    enum by { BY_DEVICE, BY_HOST, BY_MPF } by;
};

/* Sets x to d, rounded down if d has more bits than x. |d| < 2^31. */
static void set_number(union mandelbrot_number *x, unsigned words, double d) {
    if (!words)
        x->real = d;
    for (unsigned i = words; i-- > 0;) {
        const int64_t whole = (int64_t)d - ((double)(int64_t)d > d);
        x->fixed[i] = (uint32_t)whole;
        d = (d - (double)whole) * 4294967296.;
    }
}

static void set_view(struct drawing *d, double left, double top, double width, unsigned side) {
    struct mandelbrot_view *v = &d->view;
    set_number(&v->left, v->words, left);
    set_number(&v->top, v->words, top);
    set_number(&v->step, v->words, width / side);
    v->width = v->rows = side;
    /* so that the check finds a drawing that computes nothing */
    memset(d->iterations, 0, (size_t)side * side * sizeof *d->iterations);
}

/* ---- GMP's floats */

enum { X, Y, CX, CY, SUM, TWICE, NUMBERS };

/* mandelbrot_step of kernels/fixed/mandelbrot_orbit.h. */
static void mpf_step(mpf_t z[NUMBERS]) {
    mpf_add(z[SUM], z[X], z[Y]);
    mpf_mul_2exp(z[TWICE], z[X], 1);
    mpf_sub(z[X], z[X], z[Y]);
    mpf_mul(z[X], z[SUM], z[X]);
    mpf_add(z[X], z[X], z[CX]);
    mpf_mul(z[Y], z[TWICE], z[Y]);
    mpf_add(z[Y], z[Y], z[CY]);
}

static bool mpf_is_far(mpf_t x) {
    return mpf_cmp_si(x, 2) >= 0 || mpf_cmp_si(x, -2) < 0;
}

/* Computes an orbit as mandelbrot_run does on the device: in blocks of iterations, until a block
 * ends with a large coordinate.  Returns the number of iterations. */
static uint32_t mpf_orbit(mpf_t z[NUMBERS], uint32_t most) {
    uint32_t n = 0;
    mpf_set_ui(z[X], 0);
    mpf_set_ui(z[Y], 0);
    for (; n < most; n += MANDELBROT_BLOCK) {
        for (int i = 0; i < MANDELBROT_BLOCK; i++)
            mpf_step(z);
        if (mpf_is_far(z[X]) || mpf_is_far(z[Y]))
            break;
    }
    return n;
}

/* Computes orbits of points inside the Mandelbrot set by mpf, with coordinates that use all bits.
 */
static void draw_by_mpf(const struct drawing *d) {
    mpf_t z[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        mpf_init2(z[i], 32 * d->view.words);
    for (uint32_t i = 0; i < d->view.width * d->view.rows; i++) {
        mpf_set_d(z[CX], -0.1 + 1. / (i + 17));
        mpf_set_d(z[CY], 0.1 - 1. / (i + 19));
        mpf_div_ui(z[CX], z[CX], 3);
        mpf_div_ui(z[CY], z[CY], 3);
        d->iterations[i] = mpf_orbit(z, d->view.most);
    }
    for (int i = 0; i < NUMBERS; i++)
        mpf_clear(z[i]);
}

/* ---- seconds */

static enum gpu_status draw_there(struct context *s, void *drawing) {
    struct drawing *d = drawing;
    return mandelbrot_device(s, &d->view, d->iterations, d->magnitudes);
}

/* Draws a view.  Returns the seconds; negative on failure. */
static double draw(struct drawing *d) {
    double start = stats_clock();
    if (d->by == BY_DEVICE && session_run(draw_there, d, sizeof *d, SIZE_MAX / 2) != OUTCOME_DONE)
        return -1;
    if (d->by == BY_HOST)
        mandelbrot_host(&d->view, d->iterations, d->magnitudes);
    if (d->by == BY_MPF)
        draw_by_mpf(d);
    return stats_clock() - start;
}

static double count_iterations(const struct drawing *d) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)d->view.width * d->view.rows; i++)
        sum += d->iterations[i];
    return sum;
}

/* Returns iterations per second: the best of the runs that fit into the time budget. */
static double rate_of(struct drawing *d, const struct bench_options *options) {
    double best = -1, spent = 0;
    for (int run = 0; run < 3 || (spent < options->budget.seconds && run < 20); run++) {
        double seconds = draw(d), rate = count_iterations(d) / seconds;
        if (seconds < 0)
            return -1;
        best = rate > best ? rate : best;
        spent += seconds;
    }
    return best;
}

/* Returns the rate inside the set, where every orbit takes all iterations.  Chooses the number of
 * iterations so that a run takes more than a third of the time budget.
 */
static double rate_inside(struct drawing *d, const struct bench_options *options, unsigned side) {
    set_view(d, -0.1, 0.1, 0.05, side);
    const double least = options->budget.seconds / 3;
    draw(d); /* the first drawing also builds the kernels and runs their self-test */
    for (d->view.most = 256; d->view.most < UINT32_C(1) << 28; d->view.most *= 4) {
        double seconds = draw(d);
        if (seconds < 0 || seconds > least)
            break;
    }
    return rate_of(d, options);
}

/* ---- the device's rate of products */

struct rate {
    uint32_t groups, rounds;
};

static enum gpu_status multiply_there(struct context *s, void *argument) {
    const struct rate *rate = argument;
    gpu_mem r;
    enum gpu_status status = context_buffer(s, SLOT_R, rate->groups * RATE_THREADS * 4, &r);
    if (status == GPU_OK)
        status = launch_multiply_rate(s, launch_row(rate->groups), r, 0x9e3779b9, rate->rounds);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

/* Returns the products per second; negative on failure. */
static double multiply_rate(const struct bench_options *options, bool is_cpu) {
    struct rate rate = {.groups = is_cpu ? 64 : 1 << 14, .rounds = 1};
    double best = -1, seconds = 0;
    for (int run = 0; run < 5;) {
        double start = stats_clock();
        if (session_run(multiply_there, &rate, sizeof rate, SIZE_MAX / 2) != OUTCOME_DONE)
            return -1;
        seconds = stats_clock() - start;
        if (seconds < options->budget.seconds / 3 && rate.rounds < 1 << 24) {
            rate.rounds *= 2;
            continue;
        }
        double products = (double)rate.groups * RATE_THREADS * rate.rounds * RATE_PRODUCTS;
        best = products / seconds > best ? products / seconds : best;
        run++;
    }
    return best;
}

/* ---- the table */

/* Checks a view: inside the set, every orbit must take all iterations; in other views, a row must
 * equal the host's. */
static enum bench_state check(struct drawing *d, bool is_inside) {
    const size_t pixels = (size_t)d->view.width * d->view.rows;
    uint32_t row[SIDE], magnitudes[SIDE];
    struct mandelbrot_view one = d->view;
    for (size_t i = 0; i < pixels && is_inside; i++)
        if (d->iterations[i] != d->view.most)
            return BENCH_WRONG;
    if (is_inside)
        return BENCH_RIGHT;
    one.first_row = CHECKED_ROW;
    one.rows = 1;
    mandelbrot_host(&one, row, magnitudes);
    bool right =
        memcmp(row, d->iterations + (size_t)CHECKED_ROW * one.width, one.width * sizeof *row) == 0;
    return right ? BENCH_RIGHT : BENCH_WRONG;
}

static void put(struct bench_report *report, const char *candidate, const char *unit, double value,
                enum bench_state state) {
    bench_report_put(report, candidate, unit, bench_value(value, value < 0 ? BENCH_FAILED : state));
}

/* Measures one kind of numbers; `products` is the device's products a second. */
static void measure(struct drawing *d, const struct bench_options *options,
                    struct bench_report *report, double products, unsigned side) {
    static const char unit[] = "iterations/s";
    const unsigned words = d->view.words;
    bench_report_row(report, words ? "mandelbrot" : "mandelbrot-double", words ? 32 * words : 64, 0,
                     0, 0);
    d->by = BY_DEVICE;
    double inside = rate_inside(d, options, side);
    enum bench_state state = check(d, true);
    put(report, "device", unit, inside, state);
    double share = words && inside > 0 ? 100 * inside * 2 * words * words / products : -1;
    put(report, "share", "percent", share, state);
    set_view(d, -2.25, 1.5, 3, side);
    d->view.most = MOST_SET;
    double set = rate_of(d, options);
    put(report, "device-set", unit, set, set < 0 ? BENCH_FAILED : check(d, false));
    d->by = BY_HOST;
    double host = rate_inside(d, options, SIDE_HOST);
    put(report, "host", unit, host, check(d, true));
    d->by = BY_MPF;
    double mpf = words ? rate_inside(d, options, SIDE_HOST) : -1;
    put(report, "mpf", unit, mpf, check(d, true));
    bench_report_print(report, "");
}

int bench_fixed(const struct bench_options *options, struct bench_report *report) {
    static const unsigned kinds[] = {0, 4, 6, 8};
    struct gpu_device dev;
    struct profile unused;
    struct drawing d = {.iterations = malloc(2 * SIDE * SIDE * sizeof(uint32_t))};
    if (!d.iterations)
        return 2;
    d.magnitudes = d.iterations + SIDE * SIDE;
    bool is_cpu = session_profile(&dev, &unused) == OUTCOME_DONE && dev.caps.is_cpu;
    double products = multiply_rate(options, is_cpu);
    printf("orbits inside of the set, and the whole set of at most %d iterations\n", MOST_SET);
    bench_report_row(report, "mandelbrot", 32, 0, 0, 0);
    put(report, "products", "products/s", products, BENCH_RIGHT);
    bench_report_print(report, "  of 32 by 32 bits in registers");
    for (int i = 0; i < 4; i++) {
        d.view = (struct mandelbrot_view){.words = kinds[i], .most = 256};
        measure(&d, options, report, products, is_cpu ? SIDE_CPU : SIDE);
    }
    free(d.iterations);
    return 0;
}
