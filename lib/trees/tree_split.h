/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binary splitting on the device: nodes of three numbers p, q, t with signs.  Two that follow one
 * another become
 *
 *     p = p_l p_r,    q = q_l q_r,    t = t_l q_r + p_l t_r.
 *
 * The nodes are 2^levels; node i of a level is made of nodes i and i + half of the one below it. So
 * with nodes in the order of their index' reversed bits they are neighbours at each level, and a
 * level of small numbers is four launches of batches, and one for sums.
 *
 * The check: the residues of p, q and t modulo the context's random modulus beside those that the
 * host computes of the nodes below.  It covers all steps, the signs' and the upload's too. */
#ifndef MPGPU_TREE_SPLIT_H
#define MPGPU_TREE_SPLIT_H

#include "lib/calc/calc.h"

struct tree_split_bits {
    uint64_t p, q, t; /* at most, each at least 1 */
};

struct tree_split {
    unsigned levels;
    uint64_t words;        /* of each number at the bottom, a multiple of 4; t has 2 bits less */
    const uint64_t *limbs; /* on the host: all p, all q, all t, */
    const uint32_t *signs; /* and their signs, 1 below 0: three a node, and a pad to 8 bytes */
    const struct tree_split_bits *bits; /* all nodes', from the bottom level on, one level behind
                                           the other */
    bool needs_p;
    uint64_t *p, *q, *t;      /* results: limbs of what bits say of the last node, in quads */
    uint64_t result_signs[2]; /* three words */
};

/* The argument is a struct tree_split. */
void tree_split(struct calc *c, void *argument);

#endif
