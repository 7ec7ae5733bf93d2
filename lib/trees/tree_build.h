/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees on the device (lib/calc/calc.h).
 *
 * The check compares residues of the root and of the leaves' product modulo the context's random
 * modulus; the host computes the latter.  Each number of the tree is a factor of the root: so the
 * check covers all products, and the upload.  The tree in memory is what the products have read. */
#ifndef MPGPU_TREE_BUILD_H
#define MPGPU_TREE_BUILD_H

#include "lib/trees/tree_plan.h"

struct tree_build {
    const struct tree_plan *plan;
    gpu_mem mem;            /* level 0 is there: the leaves and a pad */
    const uint64_t *leaves; /* on the host */
    uint64_t *top;          /* receives the root's words from `from` to the end */
    uint64_t from;          /* a multiple of 4 */
    bool is_checked;        /* if so, these residues are set: */
    uint64_t residue;       /* of the root */
    uint64_t of_leaves;     /* of all leaves, one after the other, as one number */
};

/* Computes all levels above the leaves, and downloads the root's top. */
void tree_build(struct calc *c, struct tree_build *t);

#endif
