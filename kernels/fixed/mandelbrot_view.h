/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions for views of the Mandelbrot set, for the host and the kernels. */
#ifndef MANDELBROT_VIEW_H
#define MANDELBROT_VIEW_H

#define MANDELBROT_ESCAPE 4096     /* an orbit has escaped if |z|^2 is at least this */
#define MANDELBROT_FRACTION_BITS 7 /* fraction bits of |z|^2 at the escape, which is below 2^25 */
#define MANDELBROT_BLOCK 4         /* iterations after which an orbit's coordinates are examined */
#define MANDELBROT_SEGMENT 128     /* iterations after which a work-item may take another pixel */
/* Pixels are numbered by tiles, because the orbits in a tile have similar lengths. */
#define MANDELBROT_TILE_WIDTH 8
#define MANDELBROT_TILE_HEIGHT 4
#define MANDELBROT_TILE (MANDELBROT_TILE_WIDTH * MANDELBROT_TILE_HEIGHT)
#define MANDELBROT_THREADS 128 /* work-items of a group */

#endif
