/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the view from the options, and checks that it can be drawn. */
#include "config.h"

#include "examples/mandelbrot/frame.h"

#include <stdbool.h>

#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/memory.h"

/* Returns true if -2^5 < x < 2^5, the coordinates that a picture may have (FRAME_FARTHEST). */
static bool is_near(const mpq_t x) {
    return mpq_cmp_si(x, FRAME_FARTHEST, 1) < 0 && mpq_cmp_si(x, -FRAME_FARTHEST, 1) > 0;
}

/* Returns true if a picture may have all coordinates that are at most (count - 1) / 2 steps away
 * from x. */
static bool is_near_to(const mpq_t x, const struct view *view, uint32_t count) {
    mpq_t half, end;
    mpq_inits(half, end, NULL);
    mpq_set_ui(half, count - 1, 2);
    mpq_canonicalize(half);
    mpq_mul(half, half, view->step);
    mpq_add(end, x, half);
    bool is = is_near(end);
    mpq_sub(end, x, half);
    is = is && is_near(end);
    mpq_clears(half, end, NULL);
    return is;
}

static enum status complain_far(const char *option, const char *text) {
    return complain("%s %s: the picture goes beyond %d from 0", option, text, FRAME_FARTHEST);
}

/* If the picture contains coordinates beyond FRAME_FARTHEST, prints which option is too large:
 * the centre, the radius or the longer side. */
static enum status check_near(const struct options *o) {
    const struct view *view = &o->view;
    uint32_t shorter = view->width < view->height ? view->width : view->height;
    if (!is_near(view->x))
        return complain_far(o->x_given.option, o->x_given.text);
    if (!is_near(view->y))
        return complain_far(o->y_given.option, o->y_given.text);
    if (!is_near_to(view->x, view, shorter) || !is_near_to(view->y, view, shorter))
        return complain_far("--radius", o->radius_text);
    if (!is_near_to(view->x, view, view->width) || !is_near_to(view->y, view, view->height))
        return complain_far("--size", o->size_text);
    return STATUS_DONE;
}

static enum status check_memory(const struct options *o) {
    uint64_t bytes = (uint64_t)o->view.width * o->view.height * sizeof(struct escape);
    if (memory_suffices(bytes))
        return STATUS_DONE;
    return complain("--size %s: needs %.1f GiB of memory, more than there is", o->size_text,
                    (double)bytes / (1 << 30));
}

/* Returns the default maximum of iterations: deeper views need more before details appear. */
static uint32_t default_iterations(const mpq_t radius) {
    long depth = -decimal_log2(radius);
    return depth > 0 ? 1000 + 100 * (uint32_t)depth : 1000;
}

enum status frame(struct options *o) {
    struct view *view = &o->view;
    mpq_t radius;
    if (mpq_sgn(view->step) <= 0)
        return complain("--radius %s: not greater than 0", o->radius_text);
    view->width = o->width * o->samples;
    view->height = o->height * o->samples;
    mpq_init(radius);
    mpq_set(radius, view->step);
    if (view->iterations == 0)
        view->iterations = default_iterations(radius);
    view_frame(view, radius);
    mpq_clear(radius);
    if (check_near(o) != STATUS_DONE)
        return STATUS_FAILED;
    if (!engine_resolves(o->engine, view))
        return complain("--radius %s: below what --engine %s resolves", o->radius_text,
                        engine_name(o->engine));
    if (o->engine == ENGINE_AUTO)
        o->engine = engine_choose(view);
    return check_memory(o);
}
