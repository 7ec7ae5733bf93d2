/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the Mandelbrot set with numbers of FIXED_WORDS words (mandelbrot_orbit.h), or in double
 * precision if FIXED_WORDS is 0 (mandelbrot_real.h). A work-item takes one pixel after another from
 * a counter. After each segment of iterations, work-items whose orbits have ended take new pixels.
 * So they wait at most one segment for longer orbits in the same warp. */
/* These lines must not be inside #if. The OpenCL source has each header only at its first #include,
 * and there an #if could hide it. */
#include "kernels/common/platform.h"
#include "kernels/fixed/mandelbrot_view.h"
#if FIXED_WORDS > 0
#include "kernels/fixed/mandelbrot_orbit.h"
#define NUMBER u32
#define ORBIT struct mandelbrot_orbit
#define ORBIT_OF mandelbrot_orbit_of
#else
#include "kernels/fixed/mandelbrot_real.h"
#define NUMBER double
#define ORBIT struct mandelbrot_real
#define ORBIT_OF mandelbrot_real_of
#endif

/* Returns the iteration at which the current segment ends. */
FN u32 segment_end(u32 n, u32 most) {
    return most - n > MANDELBROT_SEGMENT ? n + MANDELBROT_SEGMENT : most;
}

/* Computes a segment of an orbit.  Returns 1 if the orbit has ended. */
FN u32 orbit_ends(ORBIT *o, u32 most) {
#if FIXED_WORDS > 0
    return mandelbrot_run(o, segment_end(o->n, most)) && mandelbrot_walk(o, most);
#else
    return mandelbrot_real_run(o, segment_end(o->n, most)) || o->n == most;
#endif
}

/* Returns the next pixel's place, row * width + column; ~0 if none is left. Pixels are numbered
 * tile by tile. Tiles may extend beyond the view; places outside the view are skipped. */
FN u32 next_place(GLOBAL u32 *next, u32 width, u32 rows) {
    const u32 across = (width + MANDELBROT_TILE_WIDTH - 1) / MANDELBROT_TILE_WIDTH;
    const u32 down = (rows + MANDELBROT_TILE_HEIGHT - 1) / MANDELBROT_TILE_HEIGHT;
    for (;;) {
        u32 number = ATOMIC_INCREMENT(next);
        u32 tile = number / MANDELBROT_TILE, inside = number % MANDELBROT_TILE;
        if (tile >= across * down)
            return ~0u;
        u32 column = tile % across * MANDELBROT_TILE_WIDTH + inside % MANDELBROT_TILE_WIDTH;
        u32 row = tile / across * MANDELBROT_TILE_HEIGHT + inside / MANDELBROT_TILE_WIDTH;
        if (column < width && row < rows)
            return row * width + column;
    }
}

/* Computes the pixels of a view. `view` has the numbers left, top and step. *next, the counter of
 * pixels, must be 0 before the launch. */
KERNEL(MANDELBROT_THREADS)
mandelbrot_pixels(GLOBAL u32 *RESTRICT iterations, GLOBAL u32 *RESTRICT magnitudes,
                  GLOBAL const NUMBER *RESTRICT view, GLOBAL u32 *RESTRICT next, u32 width,
                  u32 first_row, u32 rows, u32 most) {
    u32 place = next_place(next, width, rows);
    ORBIT o = ORBIT_OF(view, place % width, first_row + place / width);
    while (place != ~0u) {
        if (!orbit_ends(&o, most))
            continue;
        iterations[place] = o.n;
        magnitudes[place] = o.magnitude;
        place = next_place(next, width, rows);
        o = ORBIT_OF(view, place % width, first_row + place / width);
    }
}
