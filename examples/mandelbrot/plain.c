/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes each sample by GMP alone. */
#include "config.h"

#include "examples/mandelbrot/plain.h"

#include <stddef.h>

#include "examples/mandelbrot/parallel.h"
#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/orbit.h"
#include "examples/mandelbrot/progress.h"

struct job {
    const struct view *view;
    const struct samples *samples;
};

/* Sets the orbit's c to the point of a sample: left + column * step, top - row * step. */
static void place(struct orbit *o, const struct view *view, uint32_t column, uint32_t row) {
    mpq_t part;
    mpq_init(part);
    mpq_set_ui(part, column, 1);
    mpq_mul(part, part, view->step);
    mpq_add(part, view->left, part);
    decimal_to_fixed(o->cx, part, o->bits);
    mpq_set_ui(part, row, 1);
    mpq_mul(part, part, view->step);
    mpq_sub(part, view->top, part);
    decimal_to_fixed(o->cy, part, o->bits);
    mpq_clear(part);
}

static void draw_row(void *context, uint32_t row) {
    const struct job *job = context;
    const struct view *view = job->view;
    struct orbit orbit;
    orbit_init(&orbit, orbit_bits(view));
    for (uint32_t column = 0; column < view->width; column++) {
        place(&orbit, view, column, row);
        samples_put(job->samples, (size_t)row * view->width + column,
                    orbit_run(&orbit, view->iterations));
    }
    orbit_clear(&orbit);
}

enum status plain_draw(const struct view *view, const struct samples *samples) {
    struct job job = {view, samples};
    progress_begin("gmp, sample by sample");
    parallel_rows(0, view->height, draw_row, &job);
    progress_end();
    return STATUS_DONE;
}
