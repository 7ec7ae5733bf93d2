/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that the host has for each length of fixed-point numbers: in words_4.c, words_6.c,
 * words_8.c and mandelbrot_host.c. */
#ifndef MPGPU_FIXED_WORDS_H
#define MPGPU_FIXED_WORDS_H

#include "lib/fixed/mandelbrot.h"

/* mandelbrot_host. */
typedef void words_rows(const struct mandelbrot_view *v, uint32_t *iterations,
                        uint32_t *magnitudes);
words_rows words_rows_4, words_rows_6, words_rows_8, words_rows_double;

/* operations_host. */
typedef void words_numbers(uint32_t *r, const uint32_t *u, const uint32_t *v, size_t numbers,
                           unsigned operation, uint32_t count);
words_numbers words_numbers_4, words_numbers_6, words_numbers_8;

#endif
