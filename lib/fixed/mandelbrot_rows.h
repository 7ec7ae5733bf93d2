/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mandelbrot_host for one size of numbers: included by mandelbrot_4.c, which defines FIXED_WORDS
 * and the function's name, and its like. */
#ifndef MPGPU_MANDELBROT_ROWS_H
#define MPGPU_MANDELBROT_ROWS_H

#include <string.h>

#include "kernels/fixed/mandelbrot_orbit.h"
#include "lib/fixed/mandelbrot_host.h"

static void put_number(uint32_t *to, const union mandelbrot_number *from) {
    memcpy(to, from->fixed, FIXED_WORDS * sizeof *to);
}

void MANDELBROT_ROWS(const struct mandelbrot_view *v, uint32_t *iterations, uint32_t *magnitudes) {
    uint32_t view[3 * FIXED_WORDS];
    put_number(view, &v->left);
    put_number(view + FIXED_WORDS, &v->top);
    put_number(view + 2 * FIXED_WORDS, &v->step);
    for (uint32_t row = 0; row < v->rows; row++)
        for (uint32_t i = 0; i < v->width; i++) {
            struct mandelbrot_orbit o = mandelbrot_orbit_of(view, i, v->first_row + row);
            bool ended = v->most == 0;
            while (!ended)
                ended = mandelbrot_run(&o, v->most) && mandelbrot_walk(&o, v->most);
            iterations[(size_t)row * v->width + i] = o.n;
            magnitudes[(size_t)row * v->width + i] = o.magnitude;
        }
}

#endif
