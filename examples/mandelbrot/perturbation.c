/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Draws deep zooms: GMP computes one reference orbit, and floating point computes each sample's
 * distance from it. */
#include "config.h"

#include "examples/mandelbrot/perturbation.h"

#include <float.h>
#include <math.h>
#include <mpgpu.h>
#include <stddef.h>
#include <stdlib.h>

#include "examples/mandelbrot/parallel.h"
#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/progress.h"
#include "examples/mandelbrot/reference.h"

#define REAL double
#define PERTURB_PIXEL perturb_pixel
#include "examples/mandelbrot/perturb_pixel.h"
#undef REAL
#undef PERTURB_PIXEL
#define REAL long double
#define PERTURB_PIXEL perturb_pixel_long
#include "examples/mandelbrot/perturb_pixel.h"

struct job {
    const struct view *view;
    const struct reference *reference;
    long double step;
    const struct samples *samples;
};

/* Returns the distance of element i from the middle of `count` elements, in steps. The result is
 * exact. */
static double offset(uint32_t i, uint32_t count) {
    return i - (count - 1) / 2.0;
}

static void draw_row(void *context, uint32_t row) {
    const struct job *job = context;
    const struct view *view = job->view;
    const double step = (double)job->step, ey = -offset(row, view->height) * step;
    const size_t first = (size_t)row * view->width;
    for (uint32_t i = 0; i < view->width; i++)
        samples_put(job->samples, first + i,
                    perturb_pixel(job->reference->z, job->reference->last,
                                  offset(i, view->width) * step, ey, view->iterations));
}

static void draw_row_long(void *context, uint32_t row) {
    const struct job *job = context;
    const struct view *view = job->view;
    const long double ey = -offset(row, view->height) * job->step;
    const size_t first = (size_t)row * view->width;
    for (uint32_t i = 0; i < view->width; i++)
        samples_put(job->samples, first + i,
                    perturb_pixel_long(job->reference->long_z, job->reference->last,
                                       offset(i, view->width) * job->step, ey, view->iterations));
}

/* Returns the view's step, truncated to the 53 bits of a double but with the exponents of long
 * double. */
static long double step_of(const struct view *view) {
    unsigned long bits = 64 + (unsigned long)labs(view_step_log2(view));
    long exponent;
    mpz_t fixed;
    mpz_init(fixed);
    decimal_to_fixed(fixed, view->step, bits);
    long double mantissa = mpz_get_d_2exp(&exponent, fixed);
    mpz_clear(fixed);
    return ldexpl(mantissa, (int)(exponent - (long)bits));
}

long perturbation_least_log2(void) {
    return LDBL_MIN_EXP + REFERENCE_SPARE_EXPONENTS;
}

enum status perturbation_draw(const struct view *view, const struct samples *samples) {
    struct reference reference;
    if (reference_make(&reference, view) != STATUS_DONE)
        return STATUS_FAILED;
    struct job job = {view, &reference, step_of(view), samples};
    progress_begin("gmp, perturbation");
    parallel_rows(0, view->height, reference.z ? draw_row : draw_row_long, &job);
    progress_end();
    reference_free(&reference);
    return STATUS_DONE;
}
