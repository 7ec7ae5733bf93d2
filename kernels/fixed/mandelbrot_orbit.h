/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An orbit z -> z^2 + c of the Mandelbrot set in fixed point. An iteration takes two products: x' =
 * (x + y) (x - y) + cx and y' = 2 x y + cy. To compute x^2 + y^2 would take two squares more. So
 * blocks of four iterations are computed without it, and the coordinates are examined after each
 * block. If a coordinate is outside of [-2, 2), the block is computed again step by step, with
 * |z|^2.
 *
 * The integer parts of numbers in a block fit 32 bits. At its beginning |x|, |y|, |cx| and |cy| are
 * at most 2, so |z| and |c| are below 2.83. After the four steps |z| is below 10.9, 121, 14646 and
 * 2.15e8 < 2^28. No escape is missed: if |z| >= 64 in a block, |z| grows from there, so at the end
 * a coordinate is at least 64 / sqrt(2). Step by step, |z| < 64 before a step and |c| < 1024, so
 * |z|^2 < 2^25. */
#ifndef MANDELBROT_ORBIT_H
#define MANDELBROT_ORBIT_H

#include "kernels/fixed/fixed.h"
#include "kernels/fixed/mandelbrot_view.h"

struct mandelbrot_orbit {
    struct fixed cx, cy, x, y; /* the point c; z after n iterations */
    u32 n, magnitude;          /* iterations so far; |z|^2 if the orbit has escaped */
};

/* Begins the orbit of pixel (column, row). `view` has the numbers left, top and step. */
FN struct mandelbrot_orbit mandelbrot_orbit_of(GLOBAL const u32 *view, u32 column, u32 row) {
    struct mandelbrot_orbit o;
    struct fixed step = fixed_load(view + 2 * FIXED_WORDS);
    o.cx = fixed_add(fixed_load(view), fixed_mul_word(step, column));
    o.cy = fixed_sub(fixed_load(view + FIXED_WORDS), fixed_mul_word(step, row));
    o.x = o.y = fixed_zero();
    o.n = o.magnitude = 0;
    return o;
}

FN u32 mandelbrot_is_far(struct fixed x, struct fixed y) {
    return ((x.w[FIXED_TOP] + 2) | (y.w[FIXED_TOP] + 2)) > 3;
}

FN void mandelbrot_step(struct mandelbrot_orbit *o) {
    struct fixed sum = fixed_add(o->x, o->y), difference = fixed_sub(o->x, o->y);
    struct fixed twice = fixed_add(o->x, o->x);
    o->x = fixed_add(fixed_mul(sum, difference), o->cx);
    o->y = fixed_add(fixed_mul(twice, o->y), o->cy);
}

/* Computes blocks until iteration `limit`. Stops earlier and returns 1 if the next block must be
 * computed step by step (mandelbrot_walk). */
FN u32 mandelbrot_run(struct mandelbrot_orbit *o, u32 limit) {
    u32 blocks = (limit - o->n) / MANDELBROT_BLOCK;
    if (mandelbrot_is_far(o->cx, o->cy) || mandelbrot_is_far(o->x, o->y) || blocks == 0)
        return 1;
    do {
        const struct fixed x = o->x, y = o->y;
        UNROLL for (int i = 0; i < MANDELBROT_BLOCK; i++) mandelbrot_step(o);
        if (mandelbrot_is_far(o->x, o->y)) {
            o->x = x, o->y = y;
            return 1;
        }
        o->n += MANDELBROT_BLOCK;
    } while (--blocks > 0);
    return 0;
}

/* Computes the iterations of a block step by step.  Returns 1 if the orbit has ended. */
FN u32 mandelbrot_walk(struct mandelbrot_orbit *o, u32 most) {
    for (int i = 0; i < MANDELBROT_BLOCK; i++) {
        if (o->n == most)
            return 1;
        struct fixed s = fixed_add(fixed_sqr(o->x), fixed_sqr(o->y));
        if (s.w[FIXED_TOP] >= MANDELBROT_ESCAPE) {
            o->magnitude = s.w[FIXED_TOP] << MANDELBROT_FRACTION_BITS |
                           s.w[FIXED_TOP - 1] >> (32 - MANDELBROT_FRACTION_BITS);
            return 1;
        }
        mandelbrot_step(o);
        o->n++;
    }
    return o->n == most;
}

#endif
