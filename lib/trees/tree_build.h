/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees on the device (lib/calc/calc.h).
 *
 * The check: the root's residue modulo the context's random modulus beside the product of the
 * leaves' that the host computes.  Each number of the tree is a factor of the root, so it covers
 * every product, and the upload.  What lies in memory is what the products have read. */
#ifndef MPGPU_TREE_BUILD_H
#define MPGPU_TREE_BUILD_H

#include "lib/trees/tree_plan.h"

struct tree_build {
    const struct tree_plan *plan;
    gpu_mem mem;            /* level 0 lies there: the leaves, and a pad */
    const uint64_t *leaves; /* on the host */
    uint64_t *top;          /* here come the root's words `from` to the end */
    uint64_t from;          /* a multiple of 4 */
    bool is_checked;        /* then these are known, modulo the check's modulus: */
    uint64_t residue;       /* the root's */
    uint64_t of_leaves;     /* that of all leaves side by side as one number */
};

/* Computes all levels above the leaves, and downloads the root's top. */
void tree_build(struct calc *c, struct tree_build *t);

#endif
