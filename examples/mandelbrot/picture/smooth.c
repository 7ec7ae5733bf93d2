/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes iteration counts with a fraction, so that neighbouring colours differ smoothly. */
#include "config.h"

#include "examples/mandelbrot/picture/smooth.h"

#include <mpgpu.h>

enum { LOG2_ESCAPE = 12 };
_Static_assert(1 << LOG2_ESCAPE == MPGPU_MANDELBROT_ESCAPE, "a power of two");

uint32_t smooth_log2(uint64_t x) {
    unsigned top = 63 - (unsigned)__builtin_clzll(x);
    uint64_t m = top > 31 ? x >> (top - 31) : x << (31 - top);
    uint32_t log2 = top << SMOOTH_FRACTION;
    /* m / 2^31 is x scaled to [1, 2).  Each squaring of m yields the next bit of log2(x). */
    for (uint32_t bit = 1 << (SMOOTH_FRACTION - 1); bit; bit >>= 1) {
        m = m * m >> 31;
        if (m >> 32) {
            m >>= 1;
            log2 |= bit;
        }
    }
    return log2;
}

uint64_t smooth_iterations(struct escape e) {
    const uint32_t least = LOG2_ESCAPE << SMOOTH_FRACTION;
    uint32_t log = e.norm ? smooth_log2(e.norm) : 0;
    log = log > MPGPU_MANDELBROT_NORM_BITS << SMOOTH_FRACTION
              ? log - (MPGPU_MANDELBROT_NORM_BITS << SMOOTH_FRACTION)
              : 0;
    log = log < least ? least : log;
    uint64_t whole = ((uint64_t)e.iterations + 1) << SMOOTH_FRACTION;
    return whole - (smooth_log2(log) - smooth_log2(least));
}
