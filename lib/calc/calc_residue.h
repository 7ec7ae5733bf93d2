/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What calc_demand_residue compares with: residues modulo the context's random modulus that the
 * host computes of what an operation was given. */
#ifndef MPGPU_CALC_RESIDUE_H
#define MPGPU_CALC_RESIDUE_H

#include "lib/device/modulus.h"

/* Of the number {x, limbs}. */
uint64_t calc_residue_of_number(const uint64_t *x, uint64_t limbs, struct check_modulus q);

/* Of the product of `rows` times `columns` limbs: in each row, so many from x on, and the next row
 * begins `pitch` limbs behind. */
uint64_t calc_residue_of_product(const uint64_t *x, uint64_t rows, uint64_t columns, uint64_t pitch,
                                 struct check_modulus q);

#endif
