/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The implementation of product trees (include/mpgpu.h). */
#ifndef MPGPU_COMPAT_TREE_H
#define MPGPU_COMPAT_TREE_H

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/trees/tree_remainders.h"

struct mpgpu_tree {
    size_t count, n;   /* number of leaves; limbs of each leaf (even) */
    mp_limb_t *leaves; /* absolute values of the leaves; a 1 is added if `count` is odd, above 1 */
    size_t slots;
    bool is_negative, has_zero;
    uint64_t bits; /* the sum of the bit lengths of all leaves */

    /* Device memory with all levels of the tree; empty (0 bytes) if the tree is not on a device.
     * store.residue is the residue of the root. */
    struct batch_store store;
    /* the residue of the leaves' limbs, read as one long number; valid if store.is_kept */
    uint64_t of_leaves;
    uint64_t root_words;
    mp_limb_t *top;     /* the highest limbs of the root, from limb `from` */
    size_t from, top_n; /* top_n: the number of limbs of `top`, of which the highest is not 0 */

    /* The tree as GMP computes it, when a query first needs it: level[k] has the products of level
     * k, and level[levels - 1] has the root. */
    mpz_t *level[TREE_LEVELS];
    size_t nodes[TREE_LEVELS];
    unsigned levels;
};

/* The absolute value of leaf i, as a read-only mpz. */
#define TREE_LEAF(t, i)                                                                            \
    MPZ_ROINIT_N((t)->leaves + (i) * (t)->n,                                                       \
                 (mp_size_t)normalize((t)->leaves + (i) * (t)->n, (t)->n))

/* A query, for each leaf: the remainder of x modulo the leaf, or the product of all other leaves
 * modulo the leaf. */
struct tree_question {
    enum tree_kind kind;
    mpz_srcptr x; /* the dividend, of which only the absolute value is used */
    mpz_t *r;
};

/* tree_make_on_device computes a tree, tree_ask_device answers a query, tree_fetch_root fetches the
 * root. These three return OUTCOME_DONE, or why they failed. tree_leave_device frees the tree's
 * device memory. tree_ask_device and tree_fetch_root need a tree in device memory. */
enum outcome tree_make_on_device(mpgpu_tree *t);
enum outcome tree_ask_device(const mpgpu_tree *t, const struct tree_question *q);
enum outcome tree_fetch_root(mpz_ptr r, const mpgpu_tree *t);
void tree_leave_device(mpgpu_tree *t);

/* Checks the lowest bits of the results r. If 2^z divides a leaf, the remainder of x modulo the
 * leaf must equal x modulo 2^z. For cofactors (root / leaf), checks at most 64 bits. The
 * device's own check can miss wrong low bits if a leaf is even. Returns OUTCOME_FAILED if bits
 * differ, or OUTCOME_MEMORY. */
enum outcome tree_look_at_low_bits(const mpgpu_tree *t, enum tree_kind kind, const mp_limb_t *x,
                                   size_t xn, const mp_limb_t *r);

/* Compute the tree, or answers to a query, with calls of GMP's public functions. Return 0 or an
 * error. */
int tree_make_by_gmp(mpgpu_tree *t);
int tree_ask_gmp(mpgpu_tree *t, const struct tree_question *q);
void tree_forget_levels(mpgpu_tree *t);

#endif
