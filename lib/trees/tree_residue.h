/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues on the host for the checks of trees, without a division a limb.  R = 2^64. */
#ifndef MPGPU_TREE_RESIDUE_H
#define MPGPU_TREE_RESIDUE_H

#include "lib/device/modulus.h"

/* {x, limbs} modulo q.m. */
uint64_t tree_residue(const uint64_t *x, uint64_t limbs, struct check_modulus q);

/* The product of `count` numbers of `limbs` limbs each. */
uint64_t tree_residue_of_product(const uint64_t *x, uint64_t count, uint64_t limbs,
                                 struct check_modulus q);

/* x R^-times. */
uint64_t tree_residue_down(uint64_t x, uint64_t times, struct check_modulus q);

/* R^2. */
uint64_t tree_residue_square(struct check_modulus q);

#endif
