/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainders of one number modulo all leaves of a product tree, on the device, by scaled remainders
 * (D. Bernstein, Scaled remainder trees, 2004, cr.yp.to/papers.html#scaledmod): a reciprocal at the
 * root, and then a product by the sibling for each number, of which the middle words are kept.
 *
 * The check costs two words a leaf (A. Shamir's idea for powers, Fault attacks, 1999).  Everything
 * is done modulo N t in the place of a leaf N, t being the random modulus of the tree: that changes
 * the root's reciprocal only.  A leaf's fraction times t is q + g; g gives the remainder r, and
 * q N + r must be congruent to x modulo t.  A word that is wrong anywhere on the way, from the
 * reciprocal on, makes q N + r another number, unless the fraction's error is a multiple of 1 / N:
 * q and r then change by what is a multiple of t.  A wrong bit of a fraction is such an error where
 * N is even, so the caller compares the lowest bits of r and x too (tree_look_at_low_bits); or
 * where N is next to a power of two, which nothing finds.  The check covers x, levels and leaves as
 * they lie in memory, and leaves are compared with what they were when the tree was built.  r < N
 * holds by the way r is made. */
#ifndef MPGPU_TREE_REMAINDERS_H
#define MPGPU_TREE_REMAINDERS_H

#include "lib/trees/tree_plan.h"

enum tree_kind {
    TREE_REMAINDER, /* x modulo each leaf */
    TREE_COFACTOR   /* (root / leaf) modulo each leaf; there is no x */
};

struct tree_remainders {
    const struct tree_plan *plan;
    gpu_mem mem; /* the tree, as tree_build has left it */
    enum tree_kind kind;
    const uint64_t *x; /* on the host, not 0 */
    uint64_t x_limbs, x_bits;
    const uint64_t *t;     /* the tree's random modulus and 0, on the host, */
    uint64_t d_bits;       /* the bits of t times the root */
    const uint64_t *first; /* on the host: what calc_reciprocal wants for it */
    bool is_checked;       /* then x, or the root, is congruent to: */
    uint64_t residue;
    uint64_t of_leaves; /* of tree_build */
    uint64_t *r;        /* the results, the limbs of a leaf each */
};

/* Returns the words of a number's fraction, for a number of `words` words. */
uint64_t tree_fraction_words(enum tree_kind kind, uint64_t words);

/* Returns the quads of the root's reciprocal, for a root of so many words and numbers of so many
 * bits.  x_bits counts for remainders only. */
uint64_t tree_reciprocal_quads(enum tree_kind kind, uint64_t root_words, uint64_t x_bits,
                               uint64_t d_bits);

/* Computes the remainders, and downloads them. */
void tree_remainders(struct calc *c, const struct tree_remainders *t);

#endif
