/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of a composite operation on two devices (lib/calc/calc_shard.h): one computes modulo
 * B^n - 1, the other modulo B^n + 1, B = 2^32. */
#ifndef MPGPU_CALC_HALF_H
#define MPGPU_CALC_HALF_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

/* Plans this device's half of a product of un by vn words, modulo B^(2n) - 1 (B = 2^32). 2n is
 * `ring`; if that is 0, 2n is large enough for the whole product. Returns false if each device must
 * compute the product alone. */
bool calc_half_plan(struct calc *c, struct ntt_length *l, uint64_t ring, uint64_t un, uint64_t vn);

/* Computes r = u v modulo B^(2n) - 1 (B = 2^32), in at most 2n words, together with the other
 * device; r overlaps neither factor. If v is NULL, multiplies u by the factor whose transform is
 * kept in `slot`. */
void calc_half_mul(struct calc *c, const struct ntt_length *l, struct number r, struct number u,
                   const struct number *v, enum context_slot slot);

#endif
