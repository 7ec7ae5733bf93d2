/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees on the device: a composite operation (lib/calc/calc.h).
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
    bool is_checked;        /* then these are known: */
    struct check_modulus q;
    uint64_t residue;   /* the root's */
    uint64_t of_leaves; /* all leaves' as one number, as they lie side by side */
};

/* The argument is a struct tree_build. */
void tree_build(struct calc *c, void *argument);

#endif
