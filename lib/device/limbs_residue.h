/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory: of the operands of small products, batches, composite
 * operations, numbers and trees. */
#ifndef MPGPU_LIMBS_RESIDUE_H
#define MPGPU_LIMBS_RESIDUE_H

#include <stddef.h>

#include "lib/device/context.h"

/* A step of the computation processes LIMBS_RESIDUE_GROUPS groups of LIMBS_RESIDUE_GROUP limbs. */
enum { LIMBS_RESIDUE_GROUP = 4, LIMBS_RESIDUE_GROUPS = 4 };

/* Powers of B = 2^64 modulo q.m in Montgomery form, by which partial sums are multiplied: limb[k]
 * for limb k of a group, group[c] for group c of a step, and `step` for a whole step. */
struct limbs_weights {
    struct check_modulus q;
    uint64_t limb[LIMBS_RESIDUE_GROUP], group[LIMBS_RESIDUE_GROUPS], step;
};

/* Returns {x, n} modulo q.m, below q.m; 0 if n is 0. For large n, pool threads read x together with
 * the caller (thread_pool_loop); they no longer use x when the function returns. */
uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q);

struct limbs_weights limbs_weights_of(struct check_modulus q);

/* Returns {x, n} modulo w->q.m, below w->q.m. Only the calling thread reads x. */
uint64_t limbs_residue_of_block(const uint64_t *x, size_t n, const struct limbs_weights *w);

/* Returns r 2^(64 limbs) modulo q.m. */
uint64_t limbs_residue_shifted(uint64_t r, size_t limbs, struct check_modulus q);

/* Returns {x, n} 2^(64 at) modulo q.m: the residue of a part that begins at limb `at` of a longer
 * number. */
uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q);

#endif
