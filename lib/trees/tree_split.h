/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binary splitting on the device: nodes of three numbers p, q, t with signs.  Two successive nodes
 * are joined to
 *
 *     p = p_l p_r,    q = q_l q_r,    t = t_l q_r + p_l t_r.
 *
 * There are 2^levels nodes.  Node i of a level joins nodes i and i + half of the level below.  So
 * the nodes must be in the order of their bit-reversed indices.  A level of small numbers takes
 * four launches of batches, and one for sums.
 *
 * The check compares the residues of p, q and t modulo the context's random modulus with the
 * host's, computed from the bottom nodes.  It covers all steps, including the signs and the upload.
 */
#ifndef MPGPU_TREE_SPLIT_H
#define MPGPU_TREE_SPLIT_H

#include "lib/calc/calc.h"

struct tree_split_bits {
    uint64_t p, q, t; /* at most, each at least 1 */
};

struct tree_split {
    unsigned levels;
    uint64_t words;        /* for each number of a bottom node, a multiple of 4; t leaves 2 bits */
    const uint64_t *limbs; /* on the host: all p, all q, all t */
    const uint32_t *negative; /* signs, 1 if negative: three a node, and a pad to 8 bytes */
    const struct tree_split_bits *bits; /* of tree_split_all_bits */
    bool needs_p;
    struct number result[3]; /* set by tree_split: p if needs_p, q, t of the last node */
    uint64_t signs[2];       /* the results' signs, three words */
};

enum { TREE_SPLIT_SPARE_BITS = 2 }; /* of a bottom node's number, at least */

/* Returns the bits of all 2^(levels + 1) - 1 nodes, level by level from the bottom.  The caller
 * frees them.  Returns NULL without memory. */
struct tree_split_bits *tree_split_all_bits(const struct tree_split_bits *bottom, unsigned levels);

/* Computes the last node, and downloads its signs. */
void tree_split(struct calc *c, struct tree_split *s);

#endif
