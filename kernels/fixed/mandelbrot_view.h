/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions shared by the host and the kernels of the Mandelbrot set. */
#ifndef MANDELBROT_VIEW_H
#define MANDELBROT_VIEW_H

#define MANDELBROT_ESCAPE 4096     /* an orbit has escaped if |z|^2 is at least this */
#define MANDELBROT_FRACTION_BITS 7 /* of |z|^2 at the escape, which is below 2^25 */
#define MANDELBROT_BLOCK 4         /* iterations between looks at the orbit */
#define MANDELBROT_SEGMENT 128     /* iterations before a work-item may take another pixel */
#define MANDELBROT_TILE_WIDTH 8    /* pixels are numbered by tiles, whose orbits are alike */
#define MANDELBROT_TILE_HEIGHT 4
#define MANDELBROT_TILE (MANDELBROT_TILE_WIDTH * MANDELBROT_TILE_HEIGHT)
#define MANDELBROT_THREADS 128 /* work-items of a group */

#endif
