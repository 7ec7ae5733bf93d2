/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by the method of Schoenhage and Strassen, with coefficients modulo B^P + 1,
 * where B = 2^24 and P is the number of digits of a coefficient. */
#ifndef MPGPU_SSA_H
#define MPGPU_SSA_H

#include "lib/device/number.h"
#include "lib/multiply/ssa_plan.h"

/* Plans a product of un by vn words, where un >= vn >= 1. Returns false if no plan exists for such
 * sizes, or the device's memory does not suffice for the product and the known-answer test. */
bool ssa_plan(const struct context *s, struct ssa_plan *plan, uint64_t un, uint64_t vn);

/* Does the same as ssa_plan, for a product modulo 2^(32 * words) - 1 or 2^(32 * words) + 1.
 * `operands` is the count of words of both operands together. */
bool ssa_plan_mulmod(const struct context *s, struct ssa_plan *plan, uint64_t words,
                     enum ssa_modulus ring, uint64_t operands);

/* Queues r = u v, by a plan for these sizes, and does not wait. r.words = u.words + v.words; r
 * overlaps no operand. Computes a square if u and v are the same words of the same buffer. Returns
 * GPU_NOMEM if the buffers cannot be allocated.
 *
 * With a plan modulo M = 2^(32 * words) - 1 or M = 2^(32 * words) + 1, r becomes the sum of the
 * coefficients, which is not reduced. If plan->bottom is not 0, 2^(plan->bottom) M is added to the
 * sum, which makes it positive. r then has ssa_plan_mulmod_words words. */
enum gpu_status ssa_mul(struct context *s, const struct ssa_plan *plan, struct number r,
                        struct number u, struct number v);

/* Queues the transform of the plan's N coefficients of P digits each in *data, or the inverse
 * transform without the factor 1 / N. Digits are signed words of at most SSA_LOADED in magnitude
 * (kernels/ssa/ssa_shift.h). The transform leaves the coefficients in an order that depends on its
 * passes; the inverse restores the original order. *other is a second buffer of ssa_plan_bytes.
 * Swaps both buffers so that *data has the result. */
enum gpu_status ssa_transform(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                              gpu_mem *other, int inverse);

/* Queues the transform of the number x into *data. *other is a second buffer. May swap the two
 * buffers as ssa_transform does, so that *data has the result. */
enum gpu_status ssa_forward(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number x);

/* Queues the products of the plan's N coefficients in x by those in y, and stores them in x. Queues
 * squares if y is the same buffer. */
enum gpu_status ssa_multiply(struct context *s, const struct ssa_plan *plan, gpu_mem x, gpu_mem y);

/* Queues the inverse transform of the product in *data, and the sum of its coefficients into r. */
enum gpu_status ssa_inverse(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number r);

#endif
