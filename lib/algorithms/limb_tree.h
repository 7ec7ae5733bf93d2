/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many limbs, in groups, done on the device (lib/calc/calc_tree.h). */
#ifndef MPGPU_LIMB_TREE_H
#define MPGPU_LIMB_TREE_H

#include <gmp.h>

#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"

/* {p, n}, no limb 0; before they are multiplied with it the product of what comes before may be
 * squared.  Of a single group with alloc >= limb_tree_alloc(n) no copy is made: ones are written
 * behind its limbs. */
struct limb_group {
    mp_ptr p;
    size_t n, alloc;
    bool is_squared;
};

size_t limb_tree_alloc(size_t n);

/* start, group 0, group 1 and so on; {start, start_n} has a highest limb, or none for 1. */
struct limb_tree {
    mp_srcptr start;
    size_t start_n;
    const struct limb_group *groups;
    unsigned count;
    size_t limbs; /* the result's, at most: by limb_tree_open */
    struct calc_tree plan;
};

/* False if there is no memory, or nothing to multiply.  limb_tree_close must follow where it is
 * true. */
bool limb_tree_open(struct limb_tree *t);

/* Returns the job of the product, between limb_tree_open and limb_tree_close. */
struct job limb_tree_job(const struct limb_tree *t, mp_ptr rp);

/* {rp, limbs} = the product, with zeros at its top; rp lies apart from all else.  OUTCOME_DONE, or
 * why it was not done. */
enum outcome limb_tree_run(const struct limb_tree *t, mp_ptr rp);

void limb_tree_close(struct limb_tree *t);

#endif
