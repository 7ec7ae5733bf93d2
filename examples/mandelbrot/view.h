/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A part of the plane, and the samples that are taken of it. */
#ifndef MANDELBROT_VIEW_H
#define MANDELBROT_VIEW_H

#include <gmp.h>
#include <stdint.h>

/* What became of z -> z^2 + c from z = 0.  It escaped if |z|^2 >= ESCAPE_NORM. */
enum { ESCAPE_NORM = 4096, NORM_FRACTION = 16 };

struct escape {
    uint32_t iterations; /* the first after which it had escaped, or the most that were allowed */
    uint32_t norm;       /* |z|^2 then, in units of 2^-NORM_FRACTION, at most 2^32-1; else 0 */
};

/* Width by height samples in a grid of squares whose sides are `step`.  Sample (0, 0) is the upper
 * left one, (column, row) stands for left + column step, top - row step. */
struct view {
    mpq_t x, y; /* the centre */
    mpq_t left, top, step;
    uint32_t width, height;
    uint32_t iterations; /* most */
};

/* Numbers of 0. */
void view_init(struct view *view);
void view_clear(struct view *view);

/* Puts left, top and step so that x, y is the middle, and the shorter side is 2 radius. */
void view_frame(struct view *view, const mpq_t radius);

/* 2^e <= step, e the greatest such or one less. */
long view_step_log2(const struct view *view);

#endif
