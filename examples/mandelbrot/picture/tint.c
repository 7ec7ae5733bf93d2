/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts samples to the colours of a picture, with integers alone. */
#include "config.h"

#include "examples/mandelbrot/picture/tint.h"

#include <stdlib.h>

#include "examples/mandelbrot/picture/smooth.h"

enum { PROBES = 4096 }; /* maximum number of samples of which the median is computed */

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the median of the escaped samples among at most PROBES evenly spaced samples; 0 if
 * none has escaped. */
static uint64_t median(const struct samples *samples, size_t count, uint32_t most) {
    static uint64_t probes[PROBES];
    size_t step = count / PROBES + 1, found = 0;
    for (size_t i = 0; i < count; i += step)
        if (samples->iterations[i] < most)
            probes[found++] = smooth_iterations(samples_get(samples, i));
    qsort(probes, found, sizeof *probes, by_size);
    return found ? probes[found / 2] : 0;
}

void tint_measure(struct tint *tint, const struct palette *palette, const struct samples *samples,
                  size_t count, uint32_t most) {
    palette_fill(tint->round, palette);
    tint->most = most;
    tint->base = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (samples->iterations[i] < most) {
            uint64_t smooth = smooth_iterations(samples_get(samples, i));
            tint->base = smooth < tint->base ? smooth : tint->base;
        }
    uint64_t middle = median(samples, count, most);
    tint->spread = middle > tint->base ? middle - tint->base : 1;
}

/* Returns how many times a sample's colour has gone round the palette, in units of 2^-16. The
 * caller uses only the fraction. */
static uint64_t rounds(const struct tint *tint, struct escape e) {
    uint64_t smooth = smooth_iterations(e);
    if (tint->cycle)
        return smooth / tint->cycle;
    return smooth_log2(smooth - tint->base + tint->spread) - smooth_log2(tint->spread);
}

struct colour tint_of(const struct tint *tint, struct escape e) {
    if (e.iterations >= tint->most)
        return (struct colour){0, 0, 0};
    uint64_t at = (rounds(tint, e) + tint->position) & 0xffff;
    return tint->round[at * PALETTE_SIZE >> 16];
}

/* Returns floor(sqrt(x)), for x < 2^16. */
static uint8_t root(uint32_t x) {
    uint32_t r = 0;
    for (uint32_t bit = 128; bit; bit >>= 1)
        if ((r + bit) * (r + bit) <= x)
            r += bit;
    return (uint8_t)r;
}

/* Returns the mean colour of size by size samples, the upper left of which is sample `first`.
 * Rows have `width` samples. */
static struct colour mean(const struct tint *tint, const struct samples *samples, size_t first,
                          size_t width, unsigned size) {
    uint32_t red = 0, green = 0, blue = 0, count = size * size;
    for (unsigned i = 0; i < count; i++) {
        struct colour c = tint_of(tint, samples_get(samples, first + i / size * width + i % size));
        red += c.red * c.red;
        green += c.green * c.green;
        blue += c.blue * c.blue;
    }
    return (struct colour){root(red / count), root(green / count), root(blue / count)};
}

void tint_row(const struct tint *tint, struct colour *row, const struct samples *samples,
              uint32_t i, uint32_t width, unsigned size) {
    size_t samples_width = (size_t)width * size, first = i * size * samples_width;
    for (uint32_t column = 0; column < width; column++)
        row[column] = mean(tint, samples, first + (size_t)column * size, samples_width, size);
}
