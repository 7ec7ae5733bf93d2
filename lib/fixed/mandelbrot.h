/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Views of the Mandelbrot set, in fixed point (kernels/fixed/fixed.h) or double precision.  Device
 * and host compute the same result to the last bit.  See doc/design/fixed-point.md. */
#ifndef MPGPU_MANDELBROT_H
#define MPGPU_MANDELBROT_H

#include <stdbool.h>

#include "kernels/fixed/mandelbrot_view.h"
#include "lib/device/context.h"

enum { MANDELBROT_MOST_WORDS = 8 };

/* A coordinate: a double if words is 0.  Otherwise {fixed, words}, 32-bit words in two's
 * complement, lowest first; the highest is the integer part. */
union mandelbrot_number {
    uint32_t fixed[MANDELBROT_MOST_WORDS];
    double real;
};

/* A view: the pixels to compute.  The pixel in column i of row j is c = left + i step + (top - j
 * step) sqrt(-1), where i < width and first_row <= j < first_row + rows.  In fixed point c is exact
 * if its parts are inside (-1024, 1024).  Outside, results are meaningless, though the same on
 * device and host.  In double precision each operation is rounded to nearest. */
struct mandelbrot_view {
    unsigned words; /* words of each coordinate: 4, 6 or 8; 0 for doubles */
    union mandelbrot_number left, top, step;
    uint32_t width, first_row, rows; /* width * rows <= MANDELBROT_MOST_PIXELS */
    uint32_t most;                   /* iterations */
};

enum { MANDELBROT_MOST_PIXELS = 1 << 28 };
enum { MANDELBROT_LIMBS = sizeof(struct mandelbrot_view) / sizeof(uint64_t) };

/* Returns true if words and the number of pixels are valid. */
bool mandelbrot_is_view(const struct mandelbrot_view *v);

/* Iterates z -> z^2 + c from z = 0 for each pixel c, row by row, until |z|^2 >= MANDELBROT_ESCAPE.
 * Writes the number of iterations, and as magnitude |z|^2 in units of 2^-MANDELBROT_FRACTION_BITS.
 * After v->most iterations without escape, writes v->most and magnitude 0.  Both arrays have one
 * element for each pixel, and must not overlap *v.  The view must be valid.  Works in one thread:
 * callers distribute rows over several. */
void mandelbrot_host(const struct mandelbrot_view *v, uint32_t *iterations, uint32_t *magnitudes);

/* Computes the same as mandelbrot_host on the device, writes it to host memory of any kind, and
 * waits for it.  The first call for numbers of a length compares a small view with the host's
 * result, and returns GPU_FAILED if they differ.  After a failure, the arrays are undefined.
 * Returns GPU_NOBUILD if the view needs doubles and the device has none.  Uses the context's slots.
 */
enum gpu_status mandelbrot_device(struct context *s, const struct mandelbrot_view *v,
                                  uint32_t *iterations, uint32_t *magnitudes);

#endif
