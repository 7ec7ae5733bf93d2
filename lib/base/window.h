/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sliding windows over an exponent, from its highest bit down. A power takes a square for each bit,
 * and a product by an odd power of the base for each window. */
#ifndef MPGPU_WINDOW_H
#define MPGPU_WINDOW_H

#include <stdint.h>

enum { WINDOW_MOST = 6, WINDOW_POWERS = 1 << (WINDOW_MOST - 1) }; /* bits; odd powers */

/* Returns the window length w, in bits, with the fewest products for an exponent of `bits` bits.
 * Each bit more in w doubles the table of odd powers, but saves products by entries of the
 * table. */
static inline unsigned window_best(uint64_t bits) {
    unsigned w = 1;
    while (w < WINDOW_MOST && bits > (uint64_t)(w + 1) * (w + 2) << (w - 1))
        w++;
    return w;
}

static inline unsigned window_bit(const uint64_t *exponent, uint64_t i) {
    return (unsigned)(exponent[i / 64] >> i % 64) & 1;
}

/* Returns the odd value of the window of at most `most` bits whose highest bit is `high`, and sets
 * *low to its lowest bit. If bit `high` is 0, the window is this bit alone, with the value 0. */
static inline unsigned window_at(const uint64_t *exponent, unsigned most, uint64_t high,
                                 uint64_t *low) {
    unsigned value = 0;
    *low = high;
    if (!window_bit(exponent, high))
        return 0;
    *low = high + 1 > most ? high + 1 - most : 0;
    while (!window_bit(exponent, *low))
        ++*low;
    for (uint64_t i = high + 1; i > *low; i--)
        value = 2 * value + window_bit(exponent, i - 1);
    return value;
}

#endif
