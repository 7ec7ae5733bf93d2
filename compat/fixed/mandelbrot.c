/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu_mandelbrot_device and mpgpu_mandelbrot_host: iteration counts of a view of the Mandelbrot
 * set (include/mpgpu.h). */
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"
#include "lib/process/floating.h"

_Static_assert(MPGPU_MANDELBROT_POINTS == MANDELBROT_MOST_PIXELS, "as the page says");
_Static_assert(MPGPU_MANDELBROT_ESCAPE == MANDELBROT_ESCAPE, "as the page says");
_Static_assert(MPGPU_MANDELBROT_NORM_BITS == MANDELBROT_FRACTION_BITS, "as the page says");

/* A view consists of three numbers: left, top and step. */
enum { NUMBERS = 3 };

static void put(union mandelbrot_number *to, const mpgpu_mandelbrot_number *from) {
    _Static_assert(sizeof *to == sizeof *from, "the same union");
    memcpy(to, from, sizeof *to);
}

/* Copies the program's view to *to. Returns false if an argument is invalid. */
static bool take(struct mandelbrot_view *to, const mpgpu_mandelbrot_view *v,
                 const uint32_t *iterations, const uint32_t *norms) {
    if (!v || !iterations || !norms)
        return false;
    *to = (struct mandelbrot_view){.words = v->words,
                                   .width = v->width,
                                   .first_row = v->first_row,
                                   .rows = v->rows,
                                   .most = v->iterations};
    put(&to->left, &v->left);
    put(&to->top, &v->top);
    put(&to->step, &v->step);
    return mandelbrot_is_view(to);
}

static size_t limbs_of(const struct mandelbrot_view *v) {
    return v->words > 0 ? NUMBERS * v->words / 2 : NUMBERS;
}

/* The threshold of this call: every view counts as large, because a program that does not want the
 * device calls mpgpu_mandelbrot_host. */
static const _Atomic size_t any_size = 1;

EXPORT int mpgpu_mandelbrot_device(const mpgpu_mandelbrot_view *v, uint32_t *iterations,
                                   uint32_t *norms) {
    struct mandelbrot_view view;
    struct call call;
    if (!take(&view, v, iterations, norms))
        return batch_fail(MPGPU_ARGUMENTS);
    if (view.width == 0 || view.rows == 0)
        return 0; /* also without a device */
    if (!call_begin(&call, ROW_mpgpu_mandelbrot, 1, &any_size, limbs_of(&view)))
        return batch_fail(MPGPU_NO_DEVICE);
    const uint64_t bytes = (uint64_t)view.width * view.rows * sizeof *iterations;
    struct job job = {.op = JOB_mandelbrot,
                      .operands = 1,
                      .results = 2,
                      .u = {job_limbs((const uint64_t *)&view, MANDELBROT_LIMBS)},
                      .r = {job_text(iterations, bytes), job_text(norms, bytes)}};
    enum outcome outcome = job_run(&job);
    call_end(&call, outcome);
    return outcome == OUTCOME_DONE ? 0 : batch_fail(MPGPU_NO_DEVICE);
}

/* Computes on the host, in the default floating-point environment, because results depend on
 * rounding to nearest. */
EXPORT int mpgpu_mandelbrot_host(const mpgpu_mandelbrot_view *v, uint32_t *iterations,
                                 uint32_t *norms) {
    struct mandelbrot_view view;
    struct floating before;
    if (!take(&view, v, iterations, norms))
        return batch_fail(MPGPU_ARGUMENTS);
    floating_begin(&before);
    mandelbrot_host(&view, iterations, norms);
    floating_end(&before);
    return 0;
}
