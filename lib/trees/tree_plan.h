/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where the numbers of a product tree lie on the device.
 *
 * Level 0 has the leaves, the last level the root.  A level of `nodes` numbers, made even by one
 * more that is 1 (the pad), gives the next: number i times number i + half.  So one launch
 * multiplies a whole level.  Lower levels are batches: every number has the words of all leaves
 * that it could have.  Higher ones are numbers of their own, each with the words of both it is made
 * of; one whose other half would be the pad is the same words as the number below. */
#ifndef MPGPU_TREE_PLAN_H
#define MPGPU_TREE_PLAN_H

#include "lib/calc/calc.h"

enum { TREE_LEVELS = 48 };

struct tree_node {
    uint64_t at, words;
};

struct tree_level {
    uint64_t nodes, slots;  /* with the pad */
    uint64_t at, words;     /* of a batch: where it begins, and of each number */
    struct tree_node *node; /* above: each, from malloc */
};

struct tree_plan {
    unsigned top;     /* the root's level */
    unsigned batches; /* levels 0 to this are batches */
    uint64_t words;   /* of all */
    struct tree_level level[TREE_LEVELS];
};

/* Returns the plan for `count` leaves of `words` words each, both at least 1, `words` a multiple of
 * 4.  The caller frees it.  Returns NULL without memory, or if the leaves have too many words. */
struct tree_plan *tree_plan_create(uint64_t count, uint64_t words);
void tree_plan_free(struct tree_plan *plan); /* or NULL */

/* Number i of a level; the root. */
struct number tree_number(const struct tree_plan *plan, gpu_mem mem, unsigned level, uint64_t i);
static inline struct number tree_root(const struct tree_plan *plan, gpu_mem mem) {
    return tree_number(plan, mem, plan->top, 0);
}

/* Is the other number of the pair of which `parent` of `level` is made the pad? */
static inline bool tree_is_lone(const struct tree_plan *plan, unsigned level, uint64_t parent) {
    return parent + plan->level[level].nodes >= plan->level[level - 1].nodes;
}

#endif
