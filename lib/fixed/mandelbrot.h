/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Views of the Mandelbrot set, by fixed point (kernels/fixed/fixed.h) or double precision: on a
 * device, or on the host with the same result to the last bit.  doc/design/fixed-point.md. */
#ifndef MPGPU_MANDELBROT_H
#define MPGPU_MANDELBROT_H

#include <stdbool.h>

#include "kernels/fixed/mandelbrot_view.h"
#include "lib/device/context.h"

enum { MANDELBROT_MOST_WORDS = 8 };

/* A coordinate: {fixed, words}, words of 32 bits, little-endian, two's complement, the highest the
 * integer part (lib/fixed/convert.h makes them); or a double where words is 0. */
union mandelbrot_number {
    uint32_t fixed[MANDELBROT_MOST_WORDS];
    double real;
};

/* Pixel (i, j) is c = left + i step + (top - j step) sqrt(-1), 0 <= i < width, and j from first_row
 * on, `rows` rows.  In fixed point that is exact, as long as it is inside of (-1024, 1024); farther
 * out results mean nothing, though they are the same on device and host.  In double precision each
 * operation is rounded to nearest. */
struct mandelbrot_view {
    unsigned words; /* of the numbers: 4, 6 or 8, or 0 for doubles */
    union mandelbrot_number left, top, step;
    uint32_t width, first_row, rows; /* width * rows <= MANDELBROT_MOST_PIXELS */
    uint32_t most;                   /* iterations */
};

enum { MANDELBROT_MOST_PIXELS = 1 << 28 };
enum { MANDELBROT_LIMBS = sizeof(struct mandelbrot_view) / sizeof(uint64_t) };

/* Are words and the number of pixels as they have to be? */
bool mandelbrot_is_view(const struct mandelbrot_view *v);

/* For each pixel, row by row, the least n with |z_n|^2 >= MANDELBROT_ESCAPE, where z_0 = 0 and
 * z_(n+1) = z_n^2 + c, and |z_n|^2 in units of 2^-MANDELBROT_FRACTION_BITS; or `most` and 0 if none
 * of the first `most` is there.  Both arrays have width * rows elements and lie apart from the
 * view. The view has to be one.  In one thread: callers give rows to several. */
void mandelbrot_host(const struct mandelbrot_view *v, uint32_t *iterations, uint32_t *magnitudes);

/* The same by the device, to host memory of any kind, complete on return.  At first use for these
 * words, a small view is compared with the host's: GPU_FAILED where they differ.  A device that
 * fails leaves the arrays undefined; without doubles it is GPU_NOBUILD.  Uses the context's slots.
 */
enum gpu_status mandelbrot_device(struct context *s, const struct mandelbrot_view *v,
                                  uint32_t *iterations, uint32_t *magnitudes);

#endif
