/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The layout of a product tree's numbers in device memory. Level 0 has the leaves, the last level
 * the root. A level below the root gets another number, 1, if it has an odd number of `nodes`: the
 * pad. Number i of the next level is the product of numbers i and i + half, where half is half the
 * level's count. So one launch can multiply a whole level. Lower levels are batches: each number
 * has as much room as the product of all leaves that it may contain. Numbers of higher levels are
 * separate, each with the words of its two factors. If one factor is the pad, the number is the
 * other factor, in the same memory. */
#ifndef MPGPU_TREE_PLAN_H
#define MPGPU_TREE_PLAN_H

#include "lib/calc/calc.h"

enum { TREE_LEVELS = 48 };

struct tree_node {
    uint64_t at, words;
};

struct tree_level {
    /* count of numbers in the level, without and with the pad (a number 1 that makes the count
     * even) */
    uint64_t nodes, slots;
    uint64_t at, words; /* if the level is a batch: its offset, and the words of each number */
    /* if the level is no batch: offset and words of each number; from malloc */
    struct tree_node *node;
};

struct tree_plan {
    unsigned top;     /* the root's level */
    unsigned batches; /* number of the highest level that is a batch; all lower ones are, too */
    uint64_t words;   /* of all numbers */
    struct tree_level level[TREE_LEVELS];
};

/* Returns the plan for `count` leaves of `words` words each. Both are at least 1; `words` is a
 * multiple of 4. The caller frees the plan by tree_plan_free. Returns NULL if memory is
 * exhausted or the leaves have too many words. */
struct tree_plan *tree_plan_create(uint64_t count, uint64_t words);
void tree_plan_free(struct tree_plan *plan); /* NULL does nothing */

/* tree_number returns number i of a level; tree_root returns the root. */
struct number tree_number(const struct tree_plan *plan, gpu_mem mem, unsigned level, uint64_t i);
static inline struct number tree_root(const struct tree_plan *plan, gpu_mem mem) {
    return tree_number(plan, mem, plan->top, 0);
}

/* Returns true if number `parent` of `level` has the pad (the number 1) as its second factor. */
static inline bool tree_is_lone(const struct tree_plan *plan, unsigned level, uint64_t parent) {
    return parent + plan->level[level].nodes >= plan->level[level - 1].nodes;
}

#endif
