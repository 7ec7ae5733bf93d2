/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binary splitting on the device. A node has three numbers p, q, t with signs. Two successive
 * nodes l and r are joined to p = p_l p_r, q = q_l q_r, t = t_l q_r + p_l t_r.
 *
 * There are 2^levels nodes at the bottom. Node i of a level of k nodes joins nodes i and i + k of
 * the level below. So the bottom nodes must be stored in the order of their bit-reversed indices. A
 * level of small numbers takes four products of batches, and one launch for sums.
 *
 * The check compares the residues of p, q and t modulo the context's random modulus with
 * residues that the host computes from the bottom nodes. It covers all steps, including the
 * signs and the upload. */
#ifndef MPGPU_TREE_SPLIT_H
#define MPGPU_TREE_SPLIT_H

#include "lib/calc/calc.h"

struct tree_split_bits {
    /* upper bounds for the bits of a node's numbers p, q and t, each at least 1 */
    uint64_t p, q, t;
};

struct tree_split {
    unsigned levels;
    /* words of each number of a bottom node, a multiple of 4 */
    uint64_t words;
    /* on the host: the numbers p of all bottom nodes, then all q, then all t */
    const uint64_t *limbs;
    /* the signs of p, q and t for each bottom node, 1 if negative; padded to a multiple of 8
     * bytes */
    const uint32_t *negative;
    const struct tree_split_bits *bits; /* of tree_split_all_bits */
    bool needs_p;
    struct number result[3]; /* set by tree_split: p, q and t of the last node; p only if needs_p */
    uint64_t signs[2];       /* signs of the three results, a 32-bit word each */
};

/* how many of the highest bits must be 0 in each number of a bottom node */
enum { TREE_SPLIT_SPARE_BITS = 2 };

/* Returns upper bounds for the bits of all 2^(levels + 1) - 1 nodes, level by level from the
 * bottom. The caller frees the array. Returns NULL if memory is exhausted. */
struct tree_split_bits *tree_split_all_bits(const struct tree_split_bits *bottom, unsigned levels);

/* Computes the last node into s->result, and downloads its signs. */
void tree_split(struct calc *c, struct tree_split *s);

#endif
