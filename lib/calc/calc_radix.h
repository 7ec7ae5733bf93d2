/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion of device numbers. Each step computes one level of the conversion tree, for all
 * numbers of that level at once. */
#ifndef MPGPU_CALC_RADIX_H
#define MPGPU_CALC_RADIX_H

#include "lib/calc/calc_text.h"

enum { CALC_RADIX_LEVELS = 40, CALC_RADIX_LEAF_LIMBS = RADIX_LEAF_WORDS / 2 };

/* Computes power[j] = base^(digits << j) for j = 0 to x->levels, each of whole quads (4 words). The
 * caller passes base^digits in `leaf`, RADIX_LEAF_WORDS words long. The powers remain allocated
 * (calc_take). */
void calc_radix_powers(struct calc *c, const struct calc_cut *x, struct number *power,
                       struct number leaf);

/* Returns the number that a text of at most digits << levels digits represents. Its size depends on
 * x alone and is rounded up to whole quads (128 bits each). `power` is the result of
 * calc_radix_powers; its last entry is not read. calc_text_chunks describes `wrong`. */
struct number calc_radix_set(struct calc *c, const struct calc_cut *x, const struct number *power,
                             const struct calc_text *text, struct number wrong);

/* Returns the number of words of a fraction that represents digits << level digits. */
uint64_t calc_radix_fraction_words(const struct calc_cut *x, unsigned level);

/* calc_radix_fraction returns u / divisor as a fraction of the top level, in quads (128 bits each).
 * It is too small by less than CALC_RADIX_ERROR units in the last place. `divisor` is power[levels]
 * and has `bits` bits; u is less, and has the same number of quads. `first` is the first
 * approximation for a reciprocal of calc_radix_reciprocal_quads quads. */
#define CALC_RADIX_ERROR 4
uint64_t calc_radix_reciprocal_quads(const struct calc_cut *x);
struct number calc_radix_fraction(struct calc *c, const struct calc_cut *x, struct number u,
                                  struct number divisor, uint64_t bits, struct number first);

/* Writes the lowest text->n digits of u to text->bytes. f is the fraction that
 * calc_radix_fraction returned for u. text->n is at most digits << levels, where `digits` and
 * `levels` are members of *x. */
void calc_radix_get(struct calc *c, const struct calc_cut *x, const struct number *power,
                    const struct calc_text *text, struct number f);

#endif
