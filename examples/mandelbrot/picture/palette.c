/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Rounds of colours. */
#include "config.h"

#include "examples/mandelbrot/picture/palette.h"

#include <stddef.h>
#include <string.h>

static const struct palette palettes[] = {
    {"dusk", 6, {0x000764, 0x206bcb, 0xedffff, 0xffaa00, 0x6b1d00, 0x000200}},
    {"ember", 6, {0x0b0405, 0x5c0f0c, 0xd1430f, 0xfbb13c, 0xfff3cf, 0x6d2a1c}},
    {"glacier", 6, {0x031b2e, 0x0a5a83, 0x6cc5d9, 0xf7fdff, 0x7f9fc8, 0x1c2f5e}},
    {"orchid", 6, {0x12041f, 0x5a189a, 0xd65db1, 0xffd6e0, 0xff9671, 0x3c1642}},
    {"moss", 6, {0x07140c, 0x1f5c3a, 0x8fbf5a, 0xf6f3c2, 0xc98a3b, 0x3a2412}},
    {"spectrum", 6, {0xd7263d, 0xf9a03f, 0xf4e04d, 0x3fb984, 0x2274a5, 0x7b2d8b}},
    {"grey", 2, {0x080808, 0xf8f8f8}},
};

enum { PALETTES = sizeof palettes / sizeof *palettes };

const struct palette *palette_find(const char *name) {
    for (int i = 0; i < PALETTES; i++)
        if (strcmp(palettes[i].name, name) == 0)
            return &palettes[i];
    return NULL;
}

const char *palette_names(void) {
    static char names[PALETTES * 16];
    names[0] = 0;
    for (int i = 0; i < PALETTES; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, palettes[i].name);
    }
    return names;
}

/* Returns the red, green or blue part of stop number i of the cyclic palette; `shift` selects
 * the part. */
static int part(const struct palette *palette, int i, int shift) {
    return palette->stop[(i + palette->stops) % palette->stops] >> shift & 255;
}

/* Returns the slope of a colour curve at the middle one of three stops: the harmonic mean of the
 * slopes on both sides, and 0 at extrema. So no colour exceeds its neighbouring stops (Fritsch
 * and Butland, 1984). */
static int slope(int a, int b, int c) {
    int before = b - a, after = c - b;
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
}

/* Returns a colour between the palette's stops b and c: b for t = 0, c for t = 2^10.  The
 * colours between them are on a cubic curve, whose slopes at b and c come from slope().  The
 * stops a and d are before b and after c.  Products are below 2^24. */
static uint8_t curve(int a, int b, int c, int d, int t) {
    const int one = 1 << 10;
    int first = slope(a, b, c), last = slope(b, c, d);
    int sum = (first + last - 2 * (c - b)) * t / one;
    sum = (sum + 3 * (c - b) - 2 * first - last) * t / one;
    sum = b + (sum + first) * t / one;
    return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

static uint8_t mixed(const struct palette *palette, int i, int shift) {
    int at = i * palette->stops, k = at / PALETTE_SIZE;
    int t = at % PALETTE_SIZE * 1024 / PALETTE_SIZE;
    return curve(part(palette, k - 1, shift), part(palette, k, shift), part(palette, k + 1, shift),
                 part(palette, k + 2, shift), t);
}

void palette_fill(struct colour round[PALETTE_SIZE], const struct palette *palette) {
    for (int i = 0; i < PALETTE_SIZE; i++)
        round[i] =
            (struct colour){mixed(palette, i, 16), mixed(palette, i, 8), mixed(palette, i, 0)};
}
