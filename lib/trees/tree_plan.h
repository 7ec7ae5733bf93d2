/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The layout of a product tree's numbers on the device.
 *
 * Level 0 has the leaves, the last level the root.  A level of `nodes` numbers gets another number,
 * 1, if `nodes` is odd: the pad.  Number i of the next level is the product of numbers i and i +
 * half.  So one launch multiplies a whole level.
 *
 * Lower levels are batches: each number has the words of all leaves that it could have.  Numbers of
 * higher levels are separate.  Each has the words of its two factors.  If the other factor is the
 * pad, the number is its only factor, in the same words. */
#ifndef MPGPU_TREE_PLAN_H
#define MPGPU_TREE_PLAN_H

#include "lib/calc/calc.h"

enum { TREE_LEVELS = 48 };

struct tree_node {
    uint64_t at, words;
};

struct tree_level {
    uint64_t nodes, slots;  /* nodes, and nodes with the pad */
    uint64_t at, words;     /* of a batch: its offset, and the words of each number */
    struct tree_node *node; /* above the batches: one for each number, from malloc */
};

struct tree_plan {
    unsigned top;     /* the root's level */
    unsigned batches; /* levels 0 to `batches` are batches */
    uint64_t words;   /* of all numbers */
    struct tree_level level[TREE_LEVELS];
};

/* Returns the plan for `count` leaves of `words` words each, both at least 1, `words` a multiple of
 * 4.  The caller frees it.  Returns NULL without memory, or if the leaves have too many words. */
struct tree_plan *tree_plan_create(uint64_t count, uint64_t words);
void tree_plan_free(struct tree_plan *plan); /* NULL does nothing */

/* Return number i of a level, and the root. */
struct number tree_number(const struct tree_plan *plan, gpu_mem mem, unsigned level, uint64_t i);
static inline struct number tree_root(const struct tree_plan *plan, gpu_mem mem) {
    return tree_number(plan, mem, plan->top, 0);
}

/* Returns true if the other factor of `parent`, a number of `level`, is the pad. */
static inline bool tree_is_lone(const struct tree_plan *plan, unsigned level, uint64_t parent) {
    return parent + plan->level[level].nodes >= plan->level[level - 1].nodes;
}

#endif
