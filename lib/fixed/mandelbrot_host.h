/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mandelbrot_host by each kind of numbers. */
#ifndef MPGPU_MANDELBROT_HOST_H
#define MPGPU_MANDELBROT_HOST_H

#include "lib/fixed/mandelbrot.h"

typedef void mandelbrot_rows(const struct mandelbrot_view *v, uint32_t *iterations,
                             uint32_t *magnitudes);
mandelbrot_rows mandelbrot_rows_4, mandelbrot_rows_6, mandelbrot_rows_8, mandelbrot_rows_double;

#endif
