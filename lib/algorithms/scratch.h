/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Scratch memory of composite operations. Some blocks are kept for the next operation, because page
 * faults of fresh memory take longer than a fast device's products. */
#ifndef MPGPU_SCRATCH_H
#define MPGPU_SCRATCH_H

#include <gmp.h>
#include <stddef.h>

/* Returns n limbs, not cleared; NULL if memory is missing.  Any thread. */
mp_ptr scratch_alloc(size_t n);

/* Releases p; NULL does nothing. */
void scratch_free(mp_ptr p);

#endif
