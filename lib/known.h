/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: no kernel's result counts before it has passed its test on the
 * device at hand. */
#ifndef MPGPU_KNOWN_H
#define MPGPU_KNOWN_H

#include "block.h"
#include "ntt_plan.h"
#include "session.h"

/* Products and squares through the kernels of a plan, at lengths as short as they serve;
 * at once if they were proven before.  GPU_FAILED where an answer is wrong. */
int known_prove_plan(struct session *s, const struct ntt_plan *plan);

/* The same for products modulo x^n - 1 or x^n + 1 by one ring. */
int known_prove_ring(struct session *s, const struct ntt_ring *ring);

/* The same for a plan of small products. */
int known_prove_block(struct session *s, const struct block_plan *p);

/* The same for products by one limb. */
int known_prove_limb(struct session *s);

#endif
