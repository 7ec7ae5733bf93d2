/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory: of the operands of small products, batches, composite
 * operations, numbers and trees. */
#ifndef MPGPU_LIMBS_RESIDUE_H
#define MPGPU_LIMBS_RESIDUE_H

#include <stddef.h>

#include "lib/device/context.h"

/* Returns {x, n} modulo q.m, below q.m; 0 if n is 0. For large n, pool threads read x together with
 * the caller (thread_pool_loop); they no longer use x when the function returns. */
uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q);

/* Returns {x, n} 2^(64 at) modulo q.m: the residue of a part that begins at limb `at` of a longer
 * number. */
uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q);

#endif
