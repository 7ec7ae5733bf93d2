/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by the method of Schoenhage and Strassen. */
#ifndef MPGPU_SSA_H
#define MPGPU_SSA_H

#include "lib/device/number.h"
#include "lib/multiply/ssa_plan.h"

/* Plan for a product of un >= vn >= 1 words that this device has memory for, known answers
 * included.  False if no plan serves such sizes. */
bool ssa_plan(const struct context *s, struct ssa_plan *plan, uint64_t un, uint64_t vn);

/* The same for a product of operands of `operands` words in all modulo 2^(32 words) -+ 1. */
bool ssa_plan_mulmod(const struct context *s, struct ssa_plan *plan, uint64_t words,
                     enum ssa_modulus ring, uint64_t operands);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both are the
 * same words of the same buffer.  r lies apart from both.  In a ring: what the
 * coefficients sum up to, r.words = ssa_plan_mulmod_words, with what made them positive, if it did.
 * Everything is put into the context's queue; on return it need not be done.  GPU_NOMEM if the
 * buffers do not fit. */
enum gpu_status ssa_mul(struct context *s, const struct ssa_plan *plan, struct number r,
                        struct number u, struct number v);

/* One transform of the N P digits in *data (32 bits each, with a sign, within SSA_LOADED of 0;
 * kernels/ssa/ssa_shift.h), from the order of coefficients to the order of passes, or back without
 * the factor 1 / N.  *other is another buffer of ssa_plan_bytes; *data is afterwards the one that
 * has the result. */
enum gpu_status ssa_transform(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                              gpu_mem *other, int inverse);

/* The transform of x into *data, *other being another buffer; they are swapped as above. */
enum gpu_status ssa_forward(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number x);

/* Each of the N coefficients in x times that in y, or squared if y is the same buffer. */
enum gpu_status ssa_multiply(struct context *s, const struct ssa_plan *plan, gpu_mem x, gpu_mem y);

/* From the transformed product in *data to r. */
enum gpu_status ssa_inverse(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number r);

#endif
