/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: no kernel's result counts before it has passed its test on the
 * device at hand. */
#ifndef MPGPU_KNOWN_H
#define MPGPU_KNOWN_H

#include "lib/multiply/block.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/ring.h"
#include "lib/device/session.h"
#include "lib/multiply/ssa_plan.h"

/* Products and squares through the kernels of a plan, at lengths as short as they serve;
 * at once if they were proven before.  GPU_FAILED where an answer is wrong. */
int known_prove_plan(struct session *s, const struct ntt_plan *plan);

/* The same for products modulo x^n - 1 or x^n + 1 by one ring. */
int known_prove_ring(struct session *s, const struct ntt_ring *ring);

/* The same for a plan by lib/multiply/ssa.h. */
int known_prove_ssa(struct session *s, const struct ssa_plan *plan);

/* Product and square in a ring by transforms that wrap round, whose ring->room and plan are set,
 * beside those in full, which have been proven, reduced. */
int known_compare_ring(struct session *s, struct ring *wrapped);

/* The same for a plan of small products. */
int known_prove_block(struct session *s, const struct block_plan *p);

/* The same for products by one limb. */
int known_prove_limb(struct session *s);

#endif
