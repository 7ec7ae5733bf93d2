/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The code that words_4.c, words_6.c and words_8.c include. Each of them first defines FIXED_WORDS,
 * the length of numbers, and the names of the functions. */
#ifndef MPGPU_FIXED_WORDS_ANY_H
#define MPGPU_FIXED_WORDS_ANY_H

#include <string.h>

#include "kernels/common/platform.h"
/* Unrolls loops over words on the host, too, because iterating z^2 + c is then two to three times
 * as fast. */
#undef UNROLL
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#include "kernels/fixed/mandelbrot_orbit.h"
#include "kernels/fixed/operate.h"
#include "lib/fixed/words.h"

void WORDS_NUMBERS(uint32_t *r, const uint32_t *u, const uint32_t *v, size_t numbers,
                   unsigned operation, uint32_t count) {
    for (size_t at = 0; at < numbers * FIXED_WORDS; at += FIXED_WORDS)
        fixed_store(r + at,
                    fixed_operate(operation, fixed_load(u + at), fixed_load(v + at), count));
}

static void put_number(uint32_t *to, const union mandelbrot_number *from) {
    memcpy(to, from->fixed, FIXED_WORDS * sizeof *to);
}

void WORDS_ROWS(const struct mandelbrot_view *v, uint32_t *iterations, uint32_t *magnitudes) {
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
