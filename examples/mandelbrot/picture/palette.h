/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Rounds of colours. */
#ifndef EXAMPLE_PALETTE_H
#define EXAMPLE_PALETTE_H

#include <stdint.h>

enum { PALETTE_STOPS = 8, PALETTE_SIZE = 2048 };

struct colour {
    uint8_t red, green, blue;
};

struct palette {
    const char *name;
    int stops;
    /* colours 0xRRGGBB at equal distances of a cycle: after the last stop comes the first */
    uint32_t stop[PALETTE_STOPS];
};

/* Returns the palette with this name, or NULL. */
const struct palette *palette_find(const char *name);

/* Returns the names of all palettes, separated by ", ". */
const char *palette_names(void);

/* Computes PALETTE_SIZE colours on a smooth closed curve through the palette's stops, with
 * integers alone. */
void palette_fill(struct colour round[PALETTE_SIZE], const struct palette *palette);

#endif
