/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many limbs, in groups, done on the device (lib/calc/calc_tree.h). */
#ifndef MPGPU_OPERATE_TREE_H
#define MPGPU_OPERATE_TREE_H

#include <gmp.h>

#include "lib/calc/calc_tree.h"
#include "lib/operate/composition.h"

/* {p, n}, no limb 0; before they are multiplied with it the product of what comes before may be
 * squared.  Of a single group with alloc >= operate_tree_alloc(n) no copy is made: ones are written
 * behind its limbs. */
struct operate_group {
    mp_ptr p;
    size_t n, alloc;
    bool is_squared;
};

size_t operate_tree_alloc(size_t n);

/* start, group 0, group 1 and so on; {start, start_n} has a highest limb, or none for 1. */
struct operate_tree {
    mp_srcptr start;
    size_t start_n;
    const struct operate_group *groups;
    unsigned count;
    size_t limbs; /* the result's, at most: by operate_tree_open */
    struct calc_tree plan;
};

/* False if there is no memory, or nothing to multiply.  operate_tree_close must follow where it is
 * true. */
bool operate_tree_open(struct operate_tree *t);

/* {rp, limbs} = the product, with zeros at its top; rp lies apart from all else.  OUTCOME_DONE, or
 * why it was not done. */
enum outcome operate_tree_run(const struct operate_tree *t, mp_ptr rp);

void operate_tree_close(struct operate_tree *t);

#endif
