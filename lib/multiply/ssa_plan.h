/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into coefficients modulo B^P + 1, B = 2^24. Plain arithmetic, without a
 * device. */
#ifndef MPGPU_SSA_PLAN_H
#define MPGPU_SSA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSA_MAX_PASSES 4
#define SSA_MIN_LOG_N 4 /* 2^4 to 2^17 coefficients */
#define SSA_MAX_LOG_N 17
#define SSA_MIN_WORDS 256 /* of the shorter operand; below it this is not useful */

/* N = 2^log_n coefficients of P = 2^log_p digits. */
struct ssa_plan {
    unsigned log_n, log_p;
    unsigned passes;                                         /* of a transform */
    unsigned log_r[SSA_MAX_PASSES];                          /* levels of each pass */
    unsigned bits;                                           /* of an operand in a coefficient */
    enum ssa_modulus { SSA_FULL, SSA_MINUS, SSA_PLUS } ring; /* modulo 2^(N bits) -+ 1 */
    unsigned top, bottom; /* SSA_PLUS: adding 2^top - 2^bottom makes coefficients positive */
};

/* Sets the passes of transforms of that shape; returns false if there are none. */
bool ssa_plan_shape(struct ssa_plan *plan, unsigned log_n, unsigned log_p);

/* Makes a plan of that shape with the most bits, for whole products. Returns the words of each of
 * two operands. */
uint64_t ssa_plan_fill(struct ssa_plan *plan);

/* Makes a plan of that shape one modulo 2^(32 words) -+ 1, with whole limbs in a coefficient.
 * Returns false if the shape does not suit it. */
bool ssa_plan_wrap(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring);

/* Chooses the cheapest plan for a product of un >= vn >= 1 words whose transforms fit into `room`
 * bytes of device memory, and each into `largest`. Returns false if there is none. */
bool ssa_plan_init(struct ssa_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                   uint64_t largest);

/* As ssa_plan_init, modulo 2^(32 words) -+ 1. */
bool ssa_plan_init_mulmod(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring,
                          uint64_t room, uint64_t largest);

/* Returns the words of the sum of the coefficients of such a product. */
uint64_t ssa_plan_mulmod_words(const struct ssa_plan *plan);

/* Returns the bytes of a transform; a product needs three of them. */
uint64_t ssa_plan_bytes(const struct ssa_plan *plan);
#define SSA_TRANSFORMS 3

/* Returns the estimated time of a product, in microseconds of an H200. */
double ssa_plan_cost(const struct ssa_plan *plan);

#endif
