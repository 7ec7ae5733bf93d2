/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by the method of Schoenhage and Strassen: how operands are cut into coefficients
 * modulo B^P + 1, B = 2^24. Calls no device. */
#ifndef MPGPU_SSA_PLAN_H
#define MPGPU_SSA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSA_MAX_PASSES 4
#define SSA_MIN_LOG_N 4 /* a product has 2^4 to 2^17 coefficients */
#define SSA_MAX_LOG_N 17
#define SSA_MIN_WORDS 256 /* least words of the shorter operand for which this method is useful */

/* A plan with N = 2^log_n coefficients, each of P = 2^log_p digits of 24 bits. */
struct ssa_plan {
    unsigned log_n, log_p;
    unsigned passes; /* of a transform */
    /* levels of each pass of a transform */
    unsigned log_r[SSA_MAX_PASSES];
    /* bits of an operand in each coefficient */
    unsigned bits;
    /* whether the product is whole, or modulo 2^(N bits) - 1 or + 1 */
    enum ssa_modulus { SSA_FULL, SSA_MINUS, SSA_PLUS } ring;
    /* SSA_PLUS: 2^top - 2^bottom is added to coefficients, to make them positive */
    unsigned top, bottom;
};

/* Sets the passes of transforms for 2^log_n coefficients of 2^log_p digits. Returns false if such
 * transforms are not possible. */
bool ssa_plan_shape(struct ssa_plan *plan, unsigned log_n, unsigned log_p);

/* Completes a plan of ssa_plan_shape for whole products: cuts the most bits possible into each
 * coefficient. Returns the most words that each of two operands may have. */
uint64_t ssa_plan_fill(struct ssa_plan *plan);

/* Completes a plan of ssa_plan_shape for products modulo 2^(32 words) - 1 or 2^(32 words) + 1. Each
 * coefficient gets whole limbs. Returns false if `words` cannot be divided into 2^log_n
 * coefficients of whole limbs, or the sum of their products could exceed a coefficient. */
bool ssa_plan_wrap(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring);

/* Chooses the cheapest plan for a product of un >= vn >= 1 words. All its transforms together must
 * fit into `room` bytes of device memory, and each into `largest` bytes. Returns false if there is
 * none. */
bool ssa_plan_init(struct ssa_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                   uint64_t largest);

/* Does the same as ssa_plan_init, for a product modulo 2^(32 words) - 1 or 2^(32 words) + 1. */
bool ssa_plan_init_mulmod(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring,
                          uint64_t room, uint64_t largest);

/* Returns the words of the coefficients' sum before it is reduced, for a plan of
 * ssa_plan_init_mulmod. */
uint64_t ssa_plan_mulmod_words(const struct ssa_plan *plan);

/* Returns the bytes of one transform. A product needs SSA_TRANSFORMS of them. */
uint64_t ssa_plan_bytes(const struct ssa_plan *plan);
#define SSA_TRANSFORMS 3

/* Returns the expected time of a product on an H200, in microseconds. */
double ssa_plan_cost(const struct ssa_plan *plan);

#endif
