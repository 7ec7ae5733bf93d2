/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainders of one number x modulo all leaves of a product tree, on the device. The method is that
 * of scaled remainders (D. Bernstein, Scaled remainder trees, 2004,
 * cr.yp.to/papers.html#scaledmod). Every number N of the tree has a fraction in fixed point, (x
 * modulo N) / N. The root's fraction needs a reciprocal. The fraction of any other number is
 * computed by one product, for cofactors by two: its parent's fraction times its sibling, of which
 * the middle words are kept.
 *
 * The check costs two words a leaf (A. Shamir's idea for powers, Fault attacks, 1999). Let t be
 * the tree's random modulus. The root's reciprocal is computed for the root times t, so all
 * fractions are those of numbers N t. A leaf's fraction, multiplied by t, has an integer part q;
 * its remaining fraction yields the remainder r. The check demands that q N + r is congruent to x
 * modulo t.
 *
 * A wrong word, from the reciprocal on, changes q N + r, with one exception. If the error of the
 * fraction is a multiple of 1 / N, then q and r change by multiples of t.
 * - If N is even, a wrong bit of a fraction can be such an error. So the caller also compares the
 *   lowest bits of r and x (tree_look_at_low_bits).
 * - If N is next to a power of two, a wrong bit can also be such an error; nothing detects this.
 *
 * The check covers x, and the levels and leaves in memory. It also compares the leaves with those
 * from which the tree was built. r < N follows from how r is computed. */
#ifndef MPGPU_TREE_REMAINDERS_H
#define MPGPU_TREE_REMAINDERS_H

#include "lib/trees/tree_plan.h"

enum tree_kind {
    TREE_REMAINDER, /* x modulo each leaf of the tree */
    TREE_COFACTOR   /* (root / leaf) modulo each leaf; x is not used */
};

struct tree_remainders {
    const struct tree_plan *plan;
    gpu_mem mem; /* device memory of the tree that tree_build has computed */
    enum tree_kind kind;
    const uint64_t *x; /* on the host; x is not 0 */
    uint64_t x_limbs, x_bits;
    const uint64_t *t; /* on the host: two limbs, the tree's random modulus t and 0 */
    uint64_t d_bits;   /* the number of bits of t times the root */
    /* on the host: a first approximation of the root's reciprocal, for calc_reciprocal */
    const uint64_t *first;
    /* true if the check is on; `residue` is then the residue of x, or of the root for
     * TREE_COFACTOR */
    bool is_checked;
    uint64_t residue;
    uint64_t of_leaves; /* from tree_build */
    uint64_t *r;        /* on the host: the results, each with the limbs of a leaf */
};

/* Returns the length in words of a fraction, for a number of the tree with `words` words. */
uint64_t tree_fraction_words(enum tree_kind kind, uint64_t words);

/* Returns how many quads (4 words each) the root's reciprocal needs, for a root of root_words
 * words. x has x_bits bits, used only for TREE_REMAINDER. d_bits is as in struct
 * tree_remainders. */
uint64_t tree_reciprocal_quads(enum tree_kind kind, uint64_t root_words, uint64_t x_bits,
                               uint64_t d_bits);

/* Computes the remainders on the device, and downloads them to t->r. */
void tree_remainders(struct calc *c, const struct tree_remainders *t);

#endif
