/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The Mandelbrot set on the host, in double precision and in fixed point. */
#include <stddef.h>

#include "kernels/fixed/mandelbrot_real.h"
#include "lib/fixed/words.h"

void words_rows_double(const struct mandelbrot_view *v, uint32_t *iterations,
                       uint32_t *magnitudes) {
    const double view[] = {v->left.real, v->top.real, v->step.real};
    for (uint32_t row = 0; row < v->rows; row++)
        for (uint32_t i = 0; i < v->width; i++) {
            struct mandelbrot_real o = mandelbrot_real_of(view, i, v->first_row + row);
            mandelbrot_real_run(&o, v->most);
            iterations[(size_t)row * v->width + i] = o.n;
            magnitudes[(size_t)row * v->width + i] = o.magnitude;
        }
}

bool mandelbrot_is_view(const struct mandelbrot_view *v) {
    const bool has_words = v->words == 0 || v->words == 4 || v->words == 6 || v->words == 8;
    return has_words && (uint64_t)v->width * v->rows <= MANDELBROT_MOST_PIXELS;
}

void mandelbrot_host(const struct mandelbrot_view *v, uint32_t *iterations, uint32_t *magnitudes) {
    words_rows *rows = v->words == 0   ? words_rows_double
                       : v->words == 4 ? words_rows_4
                       : v->words == 6 ? words_rows_6
                                       : words_rows_8;
    rows(v, iterations, magnitudes);
}
