/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes sizes of the numbers in product trees and binary splitting. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/trees/tree_remainders.h"
#include "lib/trees/tree_split.h"

/* ---- remainders */

uint64_t tree_fraction_words(enum tree_kind kind, uint64_t words) {
    return (kind == TREE_COFACTOR ? 2 : 1) * words + CALC_QUAD;
}

/* Letters as in the proof at the beginning of tree_remainders.c: B = 2^128, m quads in a
 * fraction, nn quads in the divisor d, which was shifted left by s bits, and k quads in the
 * reciprocal.
 *
 * The proof requires 3 x 2^s < 3 B^(nn + k - m). 2^s is B^nn / 2^d_bits, so it is enough that x /
 * 2^d_bits < B^(k - m). One more quad is a reserve. */
uint64_t tree_reciprocal_quads(enum tree_kind kind, uint64_t root_words, uint64_t x_bits,
                               uint64_t d_bits) {
    uint64_t m = tree_fraction_words(kind, root_words) / CALC_QUAD;
    uint64_t bits = kind == TREE_COFACTOR ? 1 : x_bits, less = 0;
    if (bits >= d_bits)
        return m + ceil_div(bits - d_bits, CALC_QUAD_BITS) + 1;
    less = (d_bits - bits) / CALC_QUAD_BITS;
    return m > less ? m - less + 1 : 1;
}

/* ---- binary splitting */

/* Returns upper bounds for the bits of p, q and t after joining nodes l and r. t is the sum of
 * two products, which has one bit more than the longer product. */
static struct tree_split_bits joined(const struct tree_split_bits *l,
                                     const struct tree_split_bits *r) {
    uint64_t a = l->t + r->q, b = l->p + r->t;
    return (struct tree_split_bits){l->p + r->p, l->q + r->q, (a > b ? a : b) + 1};
}

struct tree_split_bits *tree_split_all_bits(const struct tree_split_bits *bottom, unsigned levels) {
    const size_t count = (size_t)1 << levels;
    struct tree_split_bits *bits = calloc(2 * count, sizeof *bits), *below = bits;
    if (!bits)
        return NULL;
    memcpy(bits, bottom, count * sizeof *bits);
    for (size_t half = count / 2; half > 0; below += 2 * half, half /= 2)
        for (size_t i = 0; i < half; i++)
            below[2 * half + i] = joined(&below[i], &below[i + half]);
    return bits;
}
