/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by the method of Schoenhage and Strassen. */
#ifndef MPGPU_SSA_H
#define MPGPU_SSA_H

#include "lib/device/number.h"
#include "lib/multiply/ssa_plan.h"

/* Plans a product of un >= vn >= 1 words for which this device has memory, including its
 * known-answer test. Returns false if no plan allows such sizes. */
bool ssa_plan(const struct context *s, struct ssa_plan *plan, uint64_t un, uint64_t vn);

/* As ssa_plan, modulo 2^(32 words) -+ 1; `operands`: words of both operands. */
bool ssa_plan_mulmod(const struct context *s, struct ssa_plan *plan, uint64_t words,
                     enum ssa_modulus ring, uint64_t operands);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both are the same
 * words of the same buffer. r overlaps neither.
 * In a ring: r is the sum of the coefficients, including the constant that made them positive, if
 * any; r.words = ssa_plan_mulmod_words.
 * Queues all work in the context's queue, and does not wait. Returns GPU_NOMEM if the buffers do
 * not fit. */
enum gpu_status ssa_mul(struct context *s, const struct ssa_plan *plan, struct number r,
                        struct number u, struct number v);

/* Transforms the N P digits in *data: signed words of 32 bits within SSA_LOADED of 0
 * (kernels/ssa/ssa_shift.h). From the order of coefficients to the order of passes, or inverse,
 * without the factor 1 / N. *other is another buffer of ssa_plan_bytes. Swaps the two so that *data
 * has the result. */
enum gpu_status ssa_transform(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                              gpu_mem *other, int inverse);

/* Computes the transform of x into *data; *other is another buffer. Swaps them as ssa_transform
 * does. */
enum gpu_status ssa_forward(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number x);

/* Multiplies each of the N coefficients in x by that in y; squares them if y is the same buffer. */
enum gpu_status ssa_multiply(struct context *s, const struct ssa_plan *plan, gpu_mem x, gpu_mem y);

/* Computes r from the transformed product in *data. */
enum gpu_status ssa_inverse(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number r);

#endif
