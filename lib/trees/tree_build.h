/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes product trees on the device (lib/calc/calc.h). The check compares two residues modulo
 * the context's random modulus: the device computes the root's residue, the host the residue of the
 * leaves' product. Each number of the tree is a factor of the root. So the check covers all
 * products and the upload of the leaves. It also covers the numbers that later jobs read from
 * device memory, since the products were computed from the same memory. */
#ifndef MPGPU_TREE_BUILD_H
#define MPGPU_TREE_BUILD_H

#include "lib/trees/tree_plan.h"

struct tree_build {
    const struct tree_plan *plan;
    /* the tree's device memory; level 0 already has the leaves, and another number, 1, if their
     * count is odd and above 1 */
    gpu_mem mem;
    const uint64_t *leaves; /* on the host */
    uint64_t *top;          /* receives the words of the root from word number `from` to the end */
    uint64_t from;          /* first word of the root to download, a multiple of 4 */
    bool is_checked;        /* true if the check is on; then the residues below are set */
    uint64_t residue;       /* of the root */
    uint64_t of_leaves;     /* residue of the leaves' memory, read as one number */
};

/* Computes all levels above the leaves, and downloads the words of the root from `from` on. */
void tree_build(struct calc *c, struct tree_build *t);

#endif
