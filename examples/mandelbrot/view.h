/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A part of the plane, and the samples that are taken of it. */
#ifndef EXAMPLE_VIEW_H
#define EXAMPLE_VIEW_H

#include <gmp.h>
#include <mpgpu.h>
#include <stddef.h>
#include <stdint.h>

/* What became of z_0 = 0, z_(n+1) = z_n^2 + c, as mpgpu.h has it. */
struct escape {
    uint32_t
        iterations; /* the least n with |z_n|^2 >= MPGPU_MANDELBROT_ESCAPE, or the most allowed */
    uint32_t norm;  /* |z_n|^2 in units of 2^-MPGPU_MANDELBROT_NORM_BITS, at most 2^32-1; or 0 */
};

/* Returns the escape of a point from n and `norm`, |z_n|^2 >= 0.  Rounds the norm down. */
static inline struct escape escape_at(uint32_t n, double norm) {
    norm *= 1 << MPGPU_MANDELBROT_NORM_BITS;
    return (struct escape){n, norm < UINT32_MAX ? (uint32_t)norm : UINT32_MAX};
}

/* The results of all samples, row by row. */
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

/* Width by height samples in a grid of squares whose sides are `step`.  Sample (0, 0) is the upper
 * left one; sample (column, row) is at left + column step, top - row step. */
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

/* Returns e with 2^e <= step, the greatest such e or one less. */
long view_step_log2(const struct view *view);

#endif
