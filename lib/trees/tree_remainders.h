/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainders of one number modulo all leaves of a product tree, on the device, by scaled remainders
 * (D. Bernstein, Scaled remainder trees, 2004, cr.yp.to/papers.html#scaledmod).  Every number N of
 * the tree has a fraction, (x modulo N) / N in fixed point.  The root's fraction needs a
 * reciprocal.  The fraction of any other number is the middle words of one product: its parent's
 * fraction by its sibling.
 *
 * The check costs two words a leaf (A. Shamir's idea for powers, Fault attacks, 1999).  All is done
 * modulo N t instead of a leaf N, t being the tree's random modulus: that changes only the root's
 * reciprocal.  A leaf's fraction times t is q + g; g yields the remainder r, and q N + r must be
 * congruent to x modulo t.
 *
 * A wrong word anywhere on the way, from the reciprocal on, changes the number q N + r, with one
 * exception.  If the fraction's error is a multiple of 1 / N, then q and r change by multiples of
 * t.  A wrong bit of a fraction is such an error if N is even: so the caller also compares the
 * lowest bits of r and x (tree_look_at_low_bits).  It is also such an error if N is next to a power
 * of two, which nothing detects.
 *
 * The check covers x, levels and leaves in memory, and compares the leaves with those from which
 * the tree was built.  r < N follows from how r is computed. */
#ifndef MPGPU_TREE_REMAINDERS_H
#define MPGPU_TREE_REMAINDERS_H

#include "lib/trees/tree_plan.h"

enum tree_kind {
    TREE_REMAINDER, /* x modulo each leaf */
    TREE_COFACTOR   /* (root / leaf) modulo each leaf; there is no x */
};

struct tree_remainders {
    const struct tree_plan *plan;
    gpu_mem mem; /* the tree that tree_build has computed */
    enum tree_kind kind;
    const uint64_t *x; /* on the host, not 0 */
    uint64_t x_limbs, x_bits;
    const uint64_t *t;     /* the tree's random modulus and 0, on the host, */
    uint64_t d_bits;       /* the bits of t times the root */
    const uint64_t *first; /* on the host: the first approximation for calc_reciprocal */
    bool is_checked;       /* if so, x or the root has this residue: */
    uint64_t residue;
    uint64_t of_leaves; /* from tree_build */
    uint64_t *r;        /* the results: a leaf's limbs for each */
};

/* Returns the words that the fraction of a tree's number takes, if the number has `words` words. */
uint64_t tree_fraction_words(enum tree_kind kind, uint64_t words);

/* Returns the quads (4 words each) of the root's reciprocal, for a root of root_words words. x has
 * x_bits bits, used only for TREE_REMAINDER. d_bits is as in struct tree_remainders. */
uint64_t tree_reciprocal_quads(enum tree_kind kind, uint64_t root_words, uint64_t x_bits,
                               uint64_t d_bits);

/* Computes the remainders, and downloads them. */
void tree_remainders(struct calc *c, const struct tree_remainders *t);

#endif
