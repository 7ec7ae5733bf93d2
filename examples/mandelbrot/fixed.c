/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes samples with double and fixed-point numbers (mpgpu-mandelbrot(3)), on the device and
 * on all cores. */
#include "config.h"

#include "examples/mandelbrot/fixed.h"

#include <mpgpu.h>
#include <stdio.h>
#include <time.h>

#include "examples/mandelbrot/parallel.h"
#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/device.h"
#include "examples/mandelbrot/progress.h"

/* A band is a number of rows that the device computes in one call. Bands grow until one takes about
 * BAND_MS milliseconds, so that progress is visible. */
enum { FIRST_PIXELS = 1 << 16, FIRST_STEPS = 1 << 28, MOST_PIXELS = 1 << 22, BAND_MS = 250 };
_Static_assert((int)MOST_PIXELS <= MPGPU_MANDELBROT_POINTS, "a band is a view");

struct job {
    mpgpu_mandelbrot_view view;
    struct samples samples;
};

/* Returns the number of 32-bit words in a number of the engine; 0 means double. */
static unsigned words_of(enum engine engine) {
    return engine == ENGINE_FP128 ? 4 : engine == ENGINE_FP192 ? 6 : engine == ENGINE_FP256 ? 8 : 0;
}

/* |value| < 2^31. */
static void put_fixed(mpgpu_mandelbrot_number *to, const mpq_t value, unsigned words) {
    mpz_t fixed;
    mpz_init(fixed);
    decimal_to_fixed(fixed, value, 32 * (words - 1));
    mpz_fdiv_r_2exp(fixed, fixed, 32 * words); /* two's complement */
    mpz_export(to->fixed, NULL, -1, sizeof *to->fixed, 0, 0, fixed);
    mpz_clear(fixed);
}

static mpgpu_mandelbrot_number number(const mpq_t value, unsigned words) {
    mpgpu_mandelbrot_number n = {{0}};
    if (words == 0)
        n.real = mpq_get_d(value);
    else
        put_fixed(&n, value, words);
    return n;
}

/* Returns a job for the rows from `first` to below first + rows. */
static struct job rows_of(const struct job *job, uint32_t first, uint32_t rows) {
    struct job part = *job;
    size_t at = (size_t)first * job->view.width;
    part.view.first_row = first;
    part.view.rows = rows;
    part.samples = (struct samples){job->samples.iterations + at, job->samples.norms + at};
    return part;
}

static void draw_row(void *context, uint32_t row) {
    struct job part = rows_of(context, row, 1);
    mpgpu_mandelbrot_host(&part.view, part.samples.iterations, part.samples.norms);
}

static long milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint32_t rows_with(uint64_t pixels, const struct job *job) {
    uint64_t rows = pixels / job->view.width;
    return rows ? (uint32_t)rows : 1;
}

static uint32_t first_rows(const struct job *job) {
    uint64_t pixels = FIRST_STEPS / (uint64_t)job->view.iterations;
    return rows_with(pixels < FIRST_PIXELS ? pixels : FIRST_PIXELS, job);
}

/* Returns the rows of the next band, after a band of `rows` rows that took `ms` milliseconds. */
static uint32_t next_rows(const struct job *job, uint32_t rows, long ms) {
    uint64_t next = ms * 4 < BAND_MS ? 4 * (uint64_t)rows : ms > 2 * BAND_MS ? rows / 2 : rows;
    uint32_t most = rows_with(MOST_PIXELS, job);
    return next == 0 ? 1 : next < most ? (uint32_t)next : most;
}

/* Draws bands from the top until the device has drawn all rows or fails. Returns the number of
 * rows drawn. */
static uint32_t draw_on_device(const struct job *job, uint32_t height) {
    uint32_t done = 0, rows = first_rows(job);
    while (done < height) {
        rows = rows < height - done ? rows : height - done;
        struct job part = rows_of(job, done, rows);
        long start = milliseconds();
        if (mpgpu_mandelbrot_device(&part.view, part.samples.iterations, part.samples.norms))
            break;
        done += rows;
        progress_at(done, height);
        rows = next_rows(job, rows, milliseconds() - start);
    }
    return done;
}

/* Prints whether the device or the host computed the rows. */
static void tell(enum engine engine, uint32_t done, uint32_t height) {
    char device[512];
    mpgpu_device(device, sizeof device);
    if (done == height)
        fprintf(stderr, "mandelbrot: %s by %s\n", engine_name(engine), device);
    else
        fprintf(stderr, "mandelbrot: %s by the host from row %u of %u on; device: %s\n",
                engine_name(engine), done, height, device);
}

enum status fixed_draw(enum engine engine, const struct view *view, const struct samples *samples,
                       bool verbose) {
    struct job job = {.view = {.words = words_of(engine)}, .samples = *samples};
    job.view.left = number(view->left, job.view.words);
    job.view.top = number(view->top, job.view.words);
    job.view.step = number(view->step, job.view.words);
    job.view.width = view->width;
    job.view.iterations = view->iterations;
    progress_begin(engine_name(engine));
    bool is_open = mpgpu_wait();
    uint32_t done = is_open ? draw_on_device(&job, view->height) : 0;
    parallel_rows(done, view->height, draw_row, &job);
    progress_end();
    /* If the library could not open a named device, it has printed a message itself. */
    if (verbose || (done < view->height && is_open && device_is_named()))
        tell(engine, done, view->height);
    return STATUS_DONE;
}
