/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many limbs, in groups, computed on the device (lib/calc/calc_tree.h). */
#ifndef MPGPU_LIMB_TREE_H
#define MPGPU_LIMB_TREE_H

#include <gmp.h>

#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"

/* A group of factors: the limbs {p, n}, none of them 0.  If is_squared, the product of all earlier
 * factors is squared before it is multiplied by this group.  A single group with alloc >=
 * limb_tree_alloc(n) is not copied: the tree appends ones to its limbs in place. */
struct limb_group {
    mp_ptr p;
    size_t n, alloc;
    bool is_squared;
};

size_t limb_tree_alloc(size_t n);

/* The factors of the product: start, group 0, group 1 and so on.  The highest limb of {start,
 * start_n} is not 0.  If start_n is 0, start counts as 1. */
struct limb_tree {
    mp_srcptr start;
    size_t start_n;
    const struct limb_group *groups;
    unsigned count;
    size_t limbs; /* the result's limbs, at most; limb_tree_open sets it */
    struct calc_tree plan;
};

/* Prepares the tree.  Returns false if memory is missing, or if there is nothing to multiply;
 * otherwise limb_tree_close must follow. */
bool limb_tree_open(struct limb_tree *t);

/* Returns the job (lib/job/job.h) that computes the product.  It is valid until limb_tree_close. */
struct job limb_tree_job(const struct limb_tree *t, mp_ptr rp);

/* {rp, limbs} = the product, with zeros at its top; rp overlaps nothing else.  Returns
 * OUTCOME_DONE, or why the device did not compute it. */
enum outcome limb_tree_run(const struct limb_tree *t, mp_ptr rp);

void limb_tree_close(struct limb_tree *t);

#endif
