/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A view: a rectangle of the complex plane, and the grid of its samples. */
#ifndef EXAMPLE_VIEW_H
#define EXAMPLE_VIEW_H

#include <gmp.h>
#include <mpgpu.h>
#include <stddef.h>
#include <stdint.h>

/* The result for a point c: when the sequence z_0 = 0, z_(n+1) = z_n^2 + c escapes, as in
 * mpgpu.h. */
struct escape {
    uint32_t iterations; /* the least n with |z_n|^2 >= MPGPU_MANDELBROT_ESCAPE; the view's maximum
                            if there is none */
    uint32_t norm; /* |z_n|^2 in units of 2^-MPGPU_MANDELBROT_NORM_BITS, at most 2^32-1; 0 if not
                      escaped */
};

/* Returns the result for a point that escaped after n iterations with |z_n|^2 = `norm`, which is
 * rounded down to the unit of struct escape. */
static inline struct escape escape_at(uint32_t n, double norm) {
    norm *= 1 << MPGPU_MANDELBROT_NORM_BITS;
    return (struct escape){n, norm < UINT32_MAX ? (uint32_t)norm : UINT32_MAX};
}

/* The results of all samples, row by row from the top. */
struct samples {
    uint32_t *iterations, *norms;
};

static inline struct escape samples_get(const struct samples *s, size_t i) {
    return (struct escape){s->iterations[i], s->norms[i]};
}

static inline void samples_put(const struct samples *s, size_t i, struct escape e) {
    s->iterations[i] = e.iterations;
    s->norms[i] = e.norm;
}

/* A grid of `width` by `height` samples at distances of `step`. Sample (0, 0) is at the upper
 * left; sample (column, row) is at x = left + column * step, y = top - row * step. */
struct view {
    mpq_t x, y; /* the centre */
    mpq_t left, top, step;
    uint32_t width, height;
    uint32_t iterations; /* most */
};

/* Numbers of 0. */
void view_init(struct view *view);
void view_clear(struct view *view);

/* Sets left, top and step such that the grid's centre is (x, y) and its shorter side is 2 *
 * radius. */
void view_frame(struct view *view, const mpq_t radius);

/* Returns floor(log2(step)), or one less, as decimal_log2 does. */
long view_step_log2(const struct view *view);

#endif
