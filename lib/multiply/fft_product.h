/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by floating-point transforms. Rounding may make a product wrong. So the caller
 * must call fft_product_is_doubted, and must compare residues. */
#ifndef MPGPU_FFT_PRODUCT_H
#define MPGPU_FFT_PRODUCT_H

#include "lib/device/number.h"
#include "lib/multiply/fft_product_plan.h"

/* Plans a product of un by vn words, where un >= vn >= 1. Returns false if no plan exists for such
 * sizes, or the device has no doubles. Also returns false if the device's memory does not suffice
 * for the product and the known-answer test. */
bool fft_product_plan(const struct context *s, struct fft_product_plan *plan, uint64_t un,
                      uint64_t vn);

/* Does the same as fft_product_plan, for a product modulo 2^(32 * words) - 1 or 2^(32 * words) + 1.
 * `operands` is the count of words of both operands together. */
bool fft_product_plan_mulmod(const struct context *s, struct fft_product_plan *plan, uint64_t words,
                             enum fft_product_modulus ring, uint64_t operands);

/* Does the same as fft_product_plan, for a product modulo 2^p - 1. `words` is the count of words of
 * both operands and the result together. */
bool fft_product_plan_mersenne(const struct context *s, struct fft_product_plan *plan, uint64_t p,
                               uint64_t words);

/* Queues r = u v, by a plan for these sizes, and does not wait. r.words = u.words + v.words; r
 * overlaps no operand. Computes a square if u and v are the same words of the same buffer. Returns
 * GPU_NOMEM if the buffers cannot be allocated.
 *
 * In a ring, r becomes the sum of the coefficients:
 *
 * - With a plan modulo M = B^n - 1 or M = B^n + 1 (B = 2^32), 2^fft_product_offset_log M is added
 *   to the sum, and the sum is reduced by number_carries_mulmod. r has CARRY_SURPLUS words more
 *   than B^n.
 * - With a plan of fft_product_plan_mersenne, for a modulus 2^p - 1, the sum is not reduced. r has
 *   room for p + FFT_PRODUCT_SUM_BITS bits, but at most 2 CARRY_SURPLUS words more than p bits
 *   need. u and v may have two bits more than p. */
enum gpu_status fft_product_mul(struct context *s, const struct fft_product_plan *plan,
                                struct number r, struct number u, struct number v);
unsigned fft_product_offset_log(const struct fft_product_plan *plan);

/* Queues the addition of plan->length coefficients (doubles) into the number r. Each is added at
 * the place of its digit, after a division by the digit's weight. The coefficients are in the
 * buffer SLOT_PART, which has fft_product_coefficient_bytes. */
enum gpu_status fft_product_sum(struct context *s, const struct fft_product_plan *plan,
                                struct number r);

/* Queues the download of the greatest distance of a coefficient from an integer, which
 * fft_product_is_doubted reads. If the product is checked, the check downloads it, and this call is
 * not needed. */
enum gpu_status fft_product_ask(struct context *s);

/* Returns true if a coefficient of the latest product was too far from an integer, too large, or
 * not a number. Call it once the download of fft_product_ask has ended. With log:3 writes the
 * greatest distance from an integer to the log. fft_product_is_doubted_by is for products that were
 * queued while s->doubt_answer was `entry`. */
bool fft_product_is_doubted(const struct context *s);
bool fft_product_is_doubted_by(const struct context *s, unsigned entry);

#endif
