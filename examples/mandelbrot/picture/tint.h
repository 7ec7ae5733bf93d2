/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts samples to the colours of a picture, with integers alone. */
#ifndef EXAMPLE_TINT_H
#define EXAMPLE_TINT_H

#include <stddef.h>

#include "examples/mandelbrot/picture/palette.h"
#include "examples/mandelbrot/view.h"

/* The mapping from samples to colours. */
struct tint {
    struct colour round[PALETTE_SIZE];
    uint32_t most;   /* iteration count of points that have not escaped; they are black */
    uint64_t base;   /* the smallest smooth iteration count of all samples */
    uint64_t spread; /* median of the smooth iteration counts minus `base`, at least 1 */
    /* The number of iterations after which the palette's colours repeat. 0: they repeat on a
     * logarithmic scale. Then a point with the smooth iteration count c has gone round the
     * palette log2((c - base + spread) / spread) times. */
    uint64_t cycle;
    uint32_t position; /* added to the number of rounds, in units of 2^-16 of a round */
};

/* Sets all fields except `cycle` and `position`, from `count` samples. */
void tint_measure(struct tint *tint, const struct palette *palette, const struct samples *samples,
                  size_t count, uint32_t most);

struct colour tint_of(const struct tint *tint, struct escape e);

/* Computes row i of a picture with `width` pixels in a row. Each pixel is computed from size by
 * size samples. For each of the three colours, it is the root of the mean of the samples'
 * squares. */
void tint_row(const struct tint *tint, struct colour *row, const struct samples *samples,
              uint32_t i, uint32_t width, unsigned size);

#endif
