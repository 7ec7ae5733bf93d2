/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory, at the speed of memory: of small products, and of batches,
 * which may be long. */
#ifndef MPGPU_LIMBS_RESIDUE_H
#define MPGPU_LIMBS_RESIDUE_H

#include <stddef.h>

#include "lib/device/context.h"

/* {x, n} modulo q.m.  Several threads read x if n is large (thread_pool_loop). */
uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q);

/* {x, n} 2^(64 at) modulo q.m: the residue of limbs `at` and up of a longer number. */
uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q);

#endif
