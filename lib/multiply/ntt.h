/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by number-theoretic transforms modulo five primes. */
#ifndef MPGPU_NTT_H
#define MPGPU_NTT_H

#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* Plans a product of un >= vn >= 1 words for which this device has memory. Returns GPU_NOMEM if
 * there is no such plan. */
enum gpu_status ntt_plan(const struct context *s, struct ntt_plan *plan, uint64_t un, uint64_t vn);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both are the same
 * words of the same buffer. r overlaps neither. Queues all work in the context's queue, and does
 * not wait. Returns GPU_NOMEM if the buffers do not fit. */
enum gpu_status ntt_mul(struct context *s, const struct ntt_plan *plan, struct number r,
                        struct number u, struct number v);

/* Sums up the coefficients of u v modulo x^n - 1 or x^n + 1, at steps of a digit; n is the digits
 * of a length of one ring. r.words = 2 n + NTT_SURPLUS. Modulo x^n + 1 the sum also has
 * 2^NTT_OFFSET_LOG (B^n + 1) (lib/multiply/mulmod.c). u and v have at most n digits. The part above
 * B^n stays there, and is reduced as in number_carries_mulmod. */
#define NTT_SURPLUS 4
enum gpu_status ntt_mul_wraparound(struct context *s, const struct ntt_length *length,
                                   struct number r, struct number u, struct number v);

/* Products by a number whose transform stays in a slot. ntt_keep_room allocates the slot, ntt_keep
 * computes the transform, and ntt_mul_kept computes r = u v for the kept v. r.words = u.words +
 * v.words must fit the length. */
enum gpu_status ntt_keep_room(struct context *s, const struct ntt_length *length,
                              enum context_slot slot);
enum gpu_status ntt_keep(struct context *s, const struct ntt_length *length, enum context_slot slot,
                         struct number v);
enum gpu_status ntt_mul_kept(struct context *s, const struct ntt_length *length, struct number r,
                             struct number u, enum context_slot slot);

/* As ntt_mul_wraparound, for a kept v. */
enum gpu_status ntt_mul_kept_wraparound(struct context *s, const struct ntt_length *length,
                                        struct number r, struct number u, enum context_slot slot);

/* Returns the bytes that this device has for transforms, apart from numbers of this many words. */
uint64_t ntt_room(const struct context *s, uint64_t words);

/* Returns true if this device has memory for transforms of that length, apart from numbers of this
 * many words. */
bool ntt_has_room(const struct context *s, const struct ntt_length *length, uint64_t words);

#endif
