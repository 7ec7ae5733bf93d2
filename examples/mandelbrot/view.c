/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A view: a rectangle of the complex plane, and the grid of its samples. */
#include "config.h"

#include "examples/mandelbrot/view.h"

#include "examples/mandelbrot/decimal.h"

void view_init(struct view *view) {
    mpq_inits(view->x, view->y, view->left, view->top, view->step, NULL);
}

void view_clear(struct view *view) {
    mpq_clears(view->x, view->y, view->left, view->top, view->step, NULL);
}

/* Sets `half` to the distance between the middle and an end of `count` samples. */
static void half_side(mpq_t half, const struct view *view, uint32_t count) {
    mpq_set_ui(half, count - 1, 2);
    mpq_canonicalize(half);
    mpq_mul(half, half, view->step);
}

void view_frame(struct view *view, const mpq_t radius) {
    uint32_t shorter = view->width < view->height ? view->width : view->height;
    mpq_t half;
    mpq_init(half);
    mpq_set_ui(half, 2, shorter);
    mpq_canonicalize(half);
    mpq_mul(view->step, radius, half);
    half_side(half, view, view->width);
    mpq_sub(view->left, view->x, half);
    half_side(half, view, view->height);
    mpq_add(view->top, view->y, half);
    mpq_clear(half);
}

long view_step_log2(const struct view *view) {
    return decimal_log2(view->step);
}
