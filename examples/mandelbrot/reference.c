/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the reference orbit, which is the orbit of the view's centre. */
#include "config.h"

#include "examples/mandelbrot/reference.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/memory.h"
#include "examples/mandelbrot/orbit.h"
#include "examples/mandelbrot/progress.h"

enum { FIRST_POINTS = 1024 };

bool reference_is_long(const struct view *view) {
    return view_step_log2(view) < DBL_MIN_EXP + REFERENCE_SPARE_EXPONENTS;
}

/* Enlarges the orbit's array to `points` points.  Fails unless the available memory suffices for
 * the array and the samples.  The memory of the samples still counts as available, because it has
 * not been written yet. */
static enum status grow(struct reference *r, const struct view *view, size_t points) {
    const bool is_long = reference_is_long(view);
    const size_t point = 2 * (is_long ? sizeof *r->long_z : sizeof *r->z);
    const uint64_t samples = (uint64_t)view->width * view->height * sizeof(struct escape);
    void *old = is_long ? (void *)r->long_z : (void *)r->z;
    bool suffices = memory_suffices(samples + (points - r->last) * point);
    void *array = suffices ? realloc(old, points * point) : NULL;
    if (!array)
        return complain("--iterations %u: not enough memory for %zu points of the centre's orbit",
                        view->iterations, points);
    if (is_long)
        r->long_z = array;
    else
        r->z = array;
    return STATUS_DONE;
}

static void store(struct reference *r, const struct orbit *o) {
    size_t at = 2 * r->last;
    if (r->long_z)
        orbit_get_long(o, r->long_z + at, r->long_z + at + 1);
    else
        orbit_get(o, r->z + at, r->z + at + 1);
}

static enum status follow(struct reference *r, struct orbit *o, const struct view *view) {
    const size_t most = (size_t)view->iterations + 1;
    size_t points = FIRST_POINTS < most ? FIRST_POINTS : most;
    orbit_restart(o);
    enum status status = grow(r, view, points);
    while (status == STATUS_DONE) {
        store(r, o);
        if (r->last == view->iterations || orbit_has_escaped(o))
            break;
        orbit_step(o);
        if (++r->last == points) {
            points = points < most / 2 ? 2 * points : most;
            status = grow(r, view, points);
        }
        if (r->last % 256 == 0)
            progress_at(r->last, view->iterations);
    }
    return status;
}

enum status reference_make(struct reference *r, const struct view *view) {
    struct orbit orbit;
    *r = (struct reference){0};
    orbit_init(&orbit, orbit_bits(view));
    decimal_to_fixed(orbit.cx, view->x, orbit.bits);
    decimal_to_fixed(orbit.cy, view->y, orbit.bits);
    progress_begin("the centre's orbit");
    enum status status = follow(r, &orbit, view);
    orbit_clear(&orbit);
    if (status != STATUS_DONE)
        reference_free(r);
    return status;
}

void reference_free(struct reference *r) {
    free(r->z);
    free(r->long_z);
}
