/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by number-theoretic transforms modulo five primes. */
#ifndef MPGPU_NTT_H
#define MPGPU_NTT_H

#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* Plans a product of un by vn words, where un >= vn >= 1. Returns GPU_NOMEM if every plan needs
 * more memory than plans may use. */
enum gpu_status ntt_plan(const struct context *s, struct ntt_plan *plan, uint64_t un, uint64_t vn);

/* Queues r = u v, by a plan for these sizes, and does not wait. r.words = u.words + v.words; r
 * overlaps no operand. Computes a square if u and v are the same words of the same buffer. Returns
 * GPU_NOMEM if the buffers cannot be allocated. */
enum gpu_status ntt_mul(struct context *s, const struct ntt_plan *plan, struct number r,
                        struct number u, struct number v);

/* Queues the product modulo B^n - 1 or B^n + 1 (B = 2^64), by transforms modulo x^n - 1 or x^n +
 * 1. `length` must have n digits and a single ring, one of these two; u and v have at most n
 * digits. r has 2 n + NTT_SURPLUS words.
 *
 * The sum of the coefficients is longer than n digits. Its part above B^n is reduced as
 * number_carries_mulmod does, and also remains in r, for the check. Modulo B^n + 1 the sum also
 * contains 2^NTT_OFFSET_LOG (B^n + 1) (lib/multiply/mulmod.c). */
#define NTT_SURPLUS 4
enum gpu_status ntt_mul_wraparound(struct context *s, const struct ntt_length *length,
                                   struct number r, struct number u, struct number v);

/* Compute products by a number v whose transform is stored in a buffer of the context.
 * ntt_keep_room allocates the buffer, ntt_keep computes and stores the transform, and ntt_mul_kept
 * computes r = u v. r has u.words + v.words words; the transforms must be long enough for them. */
enum gpu_status ntt_keep_room(struct context *s, const struct ntt_length *length,
                              enum context_slot slot);
enum gpu_status ntt_keep(struct context *s, const struct ntt_length *length, enum context_slot slot,
                         struct number v);
enum gpu_status ntt_mul_kept(struct context *s, const struct ntt_length *length, struct number r,
                             struct number u, enum context_slot slot);

/* Does the same as ntt_mul_wraparound, for a number v whose transform is stored in buffer `slot`.
 */
enum gpu_status ntt_mul_kept_wraparound(struct context *s, const struct ntt_length *length,
                                        struct number r, struct number u, enum context_slot slot);

/* Returns the bytes of device memory that transforms may use, in addition to numbers of `words`
 * words. */
uint64_t ntt_room(const struct context *s, uint64_t words);

/* Returns true if the device has memory for two transforms of *length, in addition to numbers of
 * `words` words. */
bool ntt_has_room(const struct context *s, const struct ntt_length *length, uint64_t words);

#endif
