/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From samples to the colours of a picture, by integers alone. */
#ifndef EXAMPLE_TINT_H
#define EXAMPLE_TINT_H

#include <stddef.h>

#include "examples/mandelbrot/picture/palette.h"
#include "examples/mandelbrot/view.h"

/* How samples become colours. */
struct tint {
    struct colour round[PALETTE_SIZE];
    uint32_t most;     /* iterations of points that have not escaped: black */
    uint64_t base;     /* the fewest smooth iterations of all samples, */
    uint64_t spread;   /* the distance of the median from there, at least 1 */
    uint64_t cycle;    /* iterations a round; 0: by the logarithm of the distance from base */
    uint32_t position; /* the begin of the colour cycle, of 2^16 */
};

/* Fills all but `cycle` and `position`, by `count` samples. */
void tint_measure(struct tint *tint, const struct palette *palette, const struct samples *samples,
                  size_t count, uint32_t most);

struct colour tint_of(const struct tint *tint, struct escape e);

/* Computes row i of a picture with `width` pixels a row.  Each pixel is the mean light of size by
 * size samples, a mean of the squares of the colours' parts. */
void tint_row(const struct tint *tint, struct colour *row, const struct samples *samples,
              uint32_t i, uint32_t width, unsigned size);

#endif
