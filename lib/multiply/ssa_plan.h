/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by the method of Schoenhage and Strassen: how operands are cut into coefficients
 * modulo B^P + 1, where B = 2^24 and P is the number of digits of a coefficient. Does not access
 * the device. */
#ifndef MPGPU_SSA_PLAN_H
#define MPGPU_SSA_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSA_MAX_PASSES 4
/* binary logarithm of the smallest number of coefficients of a product; the largest number is
 * 2^SSA_MAX_LOG_N */
#define SSA_MIN_LOG_N 4
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
    /* SSA_FULL: a whole product; SSA_MINUS, SSA_PLUS: modulo 2^(N bits) - 1 or 2^(N bits) + 1 */
    enum ssa_modulus { SSA_FULL, SSA_MINUS, SSA_PLUS } ring;
    /* SSA_PLUS: 2^top - 2^bottom is added to coefficients, to make them positive */
    unsigned top, bottom;
};

/* Sets the passes of transforms for 2^log_n coefficients of 2^log_p digits. Returns false if such
 * transforms are not possible. */
bool ssa_plan_shape(struct ssa_plan *plan, unsigned log_n, unsigned log_p);

/* Completes a plan of ssa_plan_shape for whole products: coefficients get the most bits possible.
 * Returns the most words of each operand. */
uint64_t ssa_plan_fill(struct ssa_plan *plan);

/* Completes a plan of ssa_plan_shape for products modulo 2^(32 * words) - 1 or 2^(32 * words) + 1.
 * Each coefficient gets whole limbs. Returns false if `words` cannot be divided into 2^log_n
 * coefficients of whole limbs. Also returns false if a coefficient of the product could be too
 * large for 2^log_p digits. */
bool ssa_plan_wrap(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring);

/* Chooses the cheapest plan for a product of un by vn words, where un >= vn >= 1. All its
 * transforms together must fit into `room` bytes of device memory, and each of them into `largest`
 * bytes. Returns false if there is none. */
bool ssa_plan_init(struct ssa_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                   uint64_t largest);

/* Does the same as ssa_plan_init, for a product modulo 2^(32 * words) - 1 or 2^(32 * words) + 1. */
bool ssa_plan_init_mulmod(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring,
                          uint64_t room, uint64_t largest);

/* Returns the length in words of the sum of all coefficients before its reduction, for a plan of
 * ssa_plan_init_mulmod. */
uint64_t ssa_plan_mulmod_words(const struct ssa_plan *plan);

/* Returns the size of one transform in bytes. A product needs SSA_TRANSFORMS times this size. */
uint64_t ssa_plan_bytes(const struct ssa_plan *plan);
#define SSA_TRANSFORMS 3

/* Returns the expected time of a product on an H200, in microseconds. */
double ssa_plan_cost(const struct ssa_plan *plan);

#endif
