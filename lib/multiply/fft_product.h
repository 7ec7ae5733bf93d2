/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by floating-point transforms. They may be wrong: the caller must call
 * fft_product_is_doubted, and check the residue. */
#ifndef MPGPU_FFT_PRODUCT_H
#define MPGPU_FFT_PRODUCT_H

#include "lib/device/number.h"
#include "lib/multiply/fft_product_plan.h"

/* Plans a product of un >= vn >= 1 words for which this device has memory, including its
 * known-answer test. Returns false if no plan allows such sizes, or the device has no doubles. */
bool fft_product_plan(const struct context *s, struct fft_product_plan *plan, uint64_t un,
                      uint64_t vn);

/* As fft_product_plan, modulo 2^(32 words) -+ 1; `operands`: words of both operands. */
bool fft_product_plan_mulmod(const struct context *s, struct fft_product_plan *plan, uint64_t words,
                             enum fft_product_modulus ring, uint64_t operands);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both are the same
 * words of the same buffer. r overlaps neither.
 * In a ring: r is the sum of the coefficients plus 2^FFT_PRODUCT_OFFSET_LOG (B^n -+ 1), reduced as
 * in number_carries_mulmod. r.words = n in words + CARRY_SURPLUS.
 * Queues all work in the context's queue, and does not wait. Returns GPU_NOMEM if the buffers do
 * not fit. */
enum gpu_status fft_product_mul(struct context *s, const struct fft_product_plan *plan,
                                struct number r, struct number u, struct number v);
#define FFT_PRODUCT_OFFSET_LOG (51 - FFT_PRODUCT_MULMOD_BITS)

/* Sums up plan->length coefficients (doubles) in SLOT_PART, which has
 * fft_product_coefficient_bytes. */
enum gpu_status fft_product_sum(struct context *s, const struct fft_product_plan *plan,
                                struct number r);

/* Queues the copy of the answer to the host; a check's answers include it. */
enum gpu_status fft_product_ask(struct context *s);

/* For the last product, once its answer is on the host: returns true if a coefficient was too far
 * from an integer, too large, or not a number. log:3 reports the distance. */
bool fft_product_is_doubted(const struct context *s);

#endif
