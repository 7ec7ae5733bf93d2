/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of a composite operation that two devices do together (lib/calc/calc_pair.h): modulo
 * B^n - 1 by the one, modulo B^n + 1 by the other, B = 2^32. */
#ifndef MPGPU_CALC_HALF_H
#define MPGPU_CALC_HALF_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

/* This device's half of a product of un by vn words, modulo B^(2n) - 1: 2n is `ring`, or where that
 * is 0, so large that the product is all of it.  False where it is not made in halves. */
bool calc_half_plan(struct calc *c, struct ntt_length *l, uint64_t ring, uint64_t un, uint64_t vn);

/* r = u v, or modulo B^(2n) - 1, of at most 2n words, apart from u and v.  Where v is NULL, u times
 * what is kept in the slot. */
void calc_half_mul(struct calc *c, const struct ntt_length *l, struct number r, struct number u,
                   const struct number *v, enum context_slot slot);

#endif
