/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many limbs, in groups. Starts with x = start. Then each group with the product G
 * sets x = x G or x = x^2 G.
 *
 * The limbs are in a table of 2^levels rows. Each group has some columns. The limbs of a column are
 * multiplied to one number of 2^levels limbs, level by level. At each level, one batch multiplies
 * the numbers in the first half of the rows by those in the second half, for all groups.
 *
 * The check compares the result's residue modulo the context's random modulus with the residue that
 * the host computes from `start` and limbs (calc_demand_residue). It covers all of the device's
 * work, including the upload, but not the values of the limbs. */
#ifndef MPGPU_CALC_TREE_H
#define MPGPU_CALC_TREE_H

#include "lib/calc/calc.h"

struct calc_tree_group {
    uint64_t first, columns; /* a group without columns represents the factor 1 */
    uint64_t is_squared;     /* 1: the product of all earlier factors is squared first */
};

struct calc_tree {
    const uint64_t *limbs; /* all rows, one after the other; no limb is 0 */
    const uint64_t *bits;  /* most bits of each column's product, at least 1 */
    uint64_t columns;
    unsigned levels; /* 1 to CALC_TREE_LEVELS */
    const struct calc_tree_group *groups;
    unsigned count;
    const uint64_t *start; /* the number `start`, not 0; without limbs it counts as 1 */
    uint64_t start_limbs, start_bits;
};

/* Numbers of 2^CALC_TREE_LEVELS limbs or more are multiplied one by one, not in batches. */
enum { CALC_TREE_LEVELS = 13 };

/* Return the most bits of the product of `count` columns, and of a group. */
static inline uint64_t calc_tree_columns_bits(const struct calc_tree *t, uint64_t first,
                                              uint64_t count) {
    uint64_t bits = 0;
    for (uint64_t i = first; i < first + count; i++)
        bits += t->bits[i];
    return bits;
}
static inline uint64_t calc_tree_group_bits(const struct calc_tree *t, unsigned i) {
    return calc_tree_columns_bits(t, t->groups[i].first, t->groups[i].columns);
}

/* Returns the most bits of the result. */
static inline uint64_t calc_tree_bits(const struct calc_tree *t) {
    uint64_t bits = t->start_bits;
    for (unsigned i = 0; i < t->count; i++)
        bits = (t->groups[i].is_squared ? 2 * bits : bits) + calc_tree_group_bits(t, i);
    return bits;
}

/* Returns the result, of calc_words(calc_tree_bits) words, taken by calc_take. */
struct number calc_tree(struct calc *c, const struct calc_tree *t);

#endif
