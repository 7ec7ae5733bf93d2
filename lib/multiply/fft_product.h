/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by floating-point transforms.  They are right only if nobody doubts them: whoever asks
 * for one asks fft_product_is_doubted, and checks its residue. */
#ifndef MPGPU_FFT_PRODUCT_H
#define MPGPU_FFT_PRODUCT_H

#include "lib/device/number.h"
#include "lib/multiply/fft_product_plan.h"

/* Plan for a product of un >= vn >= 1 words that this device has memory for, known answers
 * included.  False if no plan serves such sizes, or the device has no doubles. */
bool fft_product_plan(const struct context *s, struct fft_product_plan *plan, uint64_t un,
                      uint64_t vn);

/* The same for a product of operands of `operands` words in all modulo 2^(32 words) -+ 1. */
bool fft_product_plan_mulmod(const struct context *s, struct fft_product_plan *plan, uint64_t words,
                             enum fft_product_modulus ring, uint64_t operands);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both are the same
 * words of the same buffer.  r lies apart from both.  In a ring: what the coefficients sum up to,
 * and 2^FFT_PRODUCT_OFFSET_LOG (B^n -+ 1) more, r.words = n in words + CARRY_SURPLUS, reduced as
 * number_carries_mulmod says.  Everything is put into the context's queue; on return it need not be
 * done.  GPU_NOMEM if the buffers do not fit. */
enum gpu_status fft_product_mul(struct context *s, const struct fft_product_plan *plan,
                                struct number r, struct number u, struct number v);
#define FFT_PRODUCT_OFFSET_LOG (51 - FFT_PRODUCT_MULMOD_BITS)

/* The sum alone, of plan->length coefficients (doubles) in SLOT_PART, which has
 * fft_product_coefficient_bytes. */
enum gpu_status fft_product_sum(struct context *s, const struct fft_product_plan *plan,
                                struct number r);

/* Put the answer's way to the host into the queue; a check's answers bring it too. */
enum gpu_status fft_product_ask(struct context *s);

/* Of the last product, when it is done and its answer here: was a coefficient too far from an
 * integer, too large, or no number?  log:3 tells how far. */
bool fft_product_is_doubted(const struct context *s);

#endif
