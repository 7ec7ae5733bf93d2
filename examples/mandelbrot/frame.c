/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the options ask for as a view, and whether it can be drawn. */
#include "config.h"

#include "examples/mandelbrot/frame.h"

#include <stdbool.h>

#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/memory.h"

/* -2^5 < x < 2^5, which is FRAME_FARTHEST. */
static bool is_near(const mpq_t x) {
    return mpq_cmp_si(x, FRAME_FARTHEST, 1) < 0 && mpq_cmp_si(x, -FRAME_FARTHEST, 1) > 0;
}

/* Whether all of the picture is near: its left and top side, and those opposite. */
static bool all_is_near(const struct view *view) {
    mpq_t right, bottom;
    mpq_inits(right, bottom, NULL);
    mpq_add(right, view->x, view->x);
    mpq_sub(right, right, view->left);
    mpq_add(bottom, view->y, view->y);
    mpq_sub(bottom, bottom, view->top);
    bool is = is_near(view->left) && is_near(view->top) && is_near(right) && is_near(bottom);
    mpq_clears(right, bottom, NULL);
    return is;
}

static enum status check_memory(const struct options *o) {
    uint64_t bytes = (uint64_t)o->view.width * o->view.height * sizeof(struct escape);
    if (memory_suffices(bytes))
        return STATUS_DONE;
    return complain("--size %s: needs %.1f GiB of memory, more than there is", o->size_text,
                    (double)bytes / (1 << 30));
}

/* Details begin later where the view is deep. */
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
    if (!all_is_near(view))
        return complain("--radius %s: the picture goes beyond %d from 0", o->radius_text,
                        FRAME_FARTHEST);
    if (!engine_resolves(o->engine, view))
        return complain("--radius %s: below what --engine %s resolves", o->radius_text,
                        engine_name(o->engine));
    if (o->engine == ENGINE_AUTO)
        o->engine = engine_choose(view);
    return check_memory(o);
}
