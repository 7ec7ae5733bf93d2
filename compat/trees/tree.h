/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Behind the trees of include/mpgpu.h. */
#ifndef MPGPU_COMPAT_TREE_H
#define MPGPU_COMPAT_TREE_H

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/trees/tree_remainders.h"

struct mpgpu_tree {
    size_t count, n;   /* leaves, limbs of each: an even number */
    mp_limb_t *leaves; /* absolute values, with the pad */
    size_t slots;
    bool is_negative, has_zero;
    uint64_t bits; /* of all leaves together */

    /* The tree is on the device if the store has bytes. */
    struct batch_store store; /* its residue is the root's */
    uint64_t of_leaves;       /* the leaves' residue, if the store has one */
    uint64_t root_words;
    mp_limb_t *top;     /* its highest limbs, the first of which is limb `from` */
    size_t from, top_n; /* top[top_n - 1] != 0 */

    /* On the host, computed when needed: each level's products, the root's last. */
    mpz_t *level[TREE_LEVELS];
    size_t nodes[TREE_LEVELS];
    unsigned levels;
};

/* Leaf i, without its sign. */
#define TREE_LEAF(t, i)                                                                            \
    MPZ_ROINIT_N((t)->leaves + (i) * (t)->n,                                                       \
                 (mp_size_t)normalize((t)->leaves + (i) * (t)->n, (t)->n))

/* A query: remainders of x, or of the root. */
struct tree_question {
    enum tree_kind kind;
    mpz_srcptr x; /* its absolute value counts */
    mpz_t *r;
};

/* Compute on the device.  Return OUTCOME_DONE, or why not. */
enum outcome tree_make_on_device(mpgpu_tree *t);
enum outcome tree_ask_device(const mpgpu_tree *t, const struct tree_question *q);
enum outcome tree_fetch_root(mpz_ptr r, const mpgpu_tree *t);
void tree_leave_device(mpgpu_tree *t);

/* Checks the lowest bits of the results, t->n limbs a leaf, against x or the root.  The number of
 * bits checked is the number of zeros below the lowest 1 of the leaf; for cofactors at most 64.
 * Returns OUTCOME_DONE, OUTCOME_FAILED if they differ, or OUTCOME_MEMORY.  The device's check
 * cannot see an error of a fraction by a multiple of 1 / N (lib/trees/tree_remainders.h).  A
 * flipped bit of memory is such an error if N is even. */
enum outcome tree_look_at_low_bits(const mpgpu_tree *t, enum tree_kind kind, const mp_limb_t *x,
                                   size_t xn, const mp_limb_t *r);

/* Compute by GMP's functions, called by name.  Return 0 or an error. */
int tree_make_by_gmp(mpgpu_tree *t);
int tree_ask_gmp(mpgpu_tree *t, const struct tree_question *q);
void tree_forget_levels(mpgpu_tree *t);

#endif
