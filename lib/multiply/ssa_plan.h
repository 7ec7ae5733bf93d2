/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into coefficients modulo B^P + 1, B = 2^24.  Plain arithmetic: no
 * device needed. */
#ifndef MPGPU_SSA_PLAN_H
#define MPGPU_SSA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSA_MAX_PASSES 4
#define SSA_MIN_LOG_N 4 /* 2^4 to 2^17 coefficients */
#define SSA_MAX_LOG_N 17
#define SSA_MIN_WORDS 256 /* of the shorter operand: below, this is no sensible way */

/* N = 2^log_n coefficients of P = 2^log_p digits. */
struct ssa_plan {
    unsigned log_n, log_p;
    unsigned passes;                                         /* of a transform, */
    unsigned log_r[SSA_MAX_PASSES];                          /* and their levels */
    unsigned bits;                                           /* of an operand in a coefficient */
    enum ssa_modulus { SSA_FULL, SSA_MINUS, SSA_PLUS } ring; /* modulo 2^(N bits) -+ 1 */
    unsigned top, bottom; /* SSA_PLUS: 2^top - 2^bottom makes coefficients positive */
};

/* The passes of transforms of that shape; 0 if there are none. */
bool ssa_plan_shape(struct ssa_plan *plan, unsigned log_n, unsigned log_p);

/* A plan of that shape with the most bits, for products in full of two operands of so many
 * words each. */
uint64_t ssa_plan_fill(struct ssa_plan *plan);

/* A plan of that shape becomes one modulo 2^(32 words) -+ 1, with whole limbs in a coefficient; 0
 * if it does not suit it. */
bool ssa_plan_wrap(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring);

/* The cheapest plan for a product of un >= vn >= 1 words whose transforms fit into `room` bytes
 * of device memory, and each into `largest`; 0 if there is none. */
bool ssa_plan_init(struct ssa_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                   uint64_t largest);

/* The same for a product modulo 2^(32 words) -+ 1. */
bool ssa_plan_init_mulmod(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring,
                          uint64_t room, uint64_t largest);

/* The words that the sum of the coefficients of such a product takes. */
uint64_t ssa_plan_mulmod_words(const struct ssa_plan *plan);

/* The bytes of a transform; a product takes three of them. */
uint64_t ssa_plan_bytes(const struct ssa_plan *plan);
#define SSA_TRANSFORMS 3

/* The time of a product, in some unit: microseconds of an H200. */
double ssa_plan_cost(const struct ssa_plan *plan);

#endif
