/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory: of the operands of small products, batches, composite
 * operations, numbers and trees. */
#ifndef MPGPU_LIMBS_RESIDUE_H
#define MPGPU_LIMBS_RESIDUE_H

#include <stddef.h>

#include "lib/device/context.h"

enum { LIMBS_RESIDUE_BLOCK = 512 };

/* The numbers by which limbs of a block, and sums of blocks, are multiplied. `limb` and `block` are
 * in Montgomery form. */
struct limbs_weights {
    struct check_modulus q;
    uint64_t limb[LIMBS_RESIDUE_BLOCK]; /* limb[i]: 2^(64 i) modulo q.m */
    uint64_t block;                     /* 2^(64 LIMBS_RESIDUE_BLOCK) modulo q.m */
    uint64_t high;                      /* 2^104 modulo q.m */
};

/* Returns {x, n} modulo q.m, below q.m; 0 if n is 0. For large n, pool threads read x together with
 * the caller (thread_pool_loop); they no longer use x when the function returns. */
uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q);

/* Returns the weights for residues modulo q.m of numbers of n limbs. These are the program's table,
 * which the first call fills in 3 us, or *own, which this function fills, for another modulus. Any
 * thread may call it. */
const struct limbs_weights *limbs_weights_of(struct check_modulus q, size_t n,
                                             struct limbs_weights *own);

/* Both return {x, n} modulo w->q.m, below w->q.m. Only the calling thread reads x.
 * limbs_residue_of_block uses AVX-512 IFMA if the CPU has it. */
uint64_t limbs_residue_of_block(const uint64_t *x, size_t n, const struct limbs_weights *w);
uint64_t limbs_residue_without_ifma(const uint64_t *x, size_t n, const struct limbs_weights *w);

/* Returns r 2^(64 limbs) modulo q.m. */
uint64_t limbs_residue_shifted(uint64_t r, size_t limbs, struct check_modulus q);

/* Returns {x, n} 2^(64 at) modulo q.m: the residue of a part that begins at limb `at` of a longer
 * number. */
uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q);

#endif
