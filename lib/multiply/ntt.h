/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by number-theoretic transforms modulo five primes. */
#ifndef MPGPU_NTT_H
#define MPGPU_NTT_H

#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* The plan for a product of un >= vn >= 1 words that this device has memory for; GPU_NOMEM if there
 * is none. */
enum gpu_status ntt_plan(const struct context *s, struct ntt_plan *plan, uint64_t un, uint64_t vn);

/* r = u v by a plan for these sizes; r.words = u.words + v.words; a square if both
 * are the same words of the same buffer.  r lies apart from both.  Everything is put
 * into the context's queue; on return it need not be done.  GPU_NOMEM if the buffers
 * do not fit. */
enum gpu_status ntt_mul(struct context *s, const struct ntt_plan *plan, struct number r,
                        struct number u, struct number v);

/* The coefficients of u v modulo x^n - 1 or x^n + 1, n the digits of a length of one
 * ring, summed up at steps of a digit: r.words = 2 n + NTT_SURPLUS.  Modulo x^n + 1 the
 * sum has 2^NTT_OFFSET_LOG (B^n + 1) besides (lib/multiply/mulmod.c).  u and v have at most n
 * digits.  What it has above B^n is left there, and reduced as number_carries_mulmod says. */
#define NTT_SURPLUS 4
enum gpu_status ntt_mul_wraparound(struct context *s, const struct ntt_length *length,
                                   struct number r, struct number u, struct number v);

/* Products by a number whose transform stays in a slot: room for it, the transform, and
 * r = u v for a v that was kept there; r.words = u.words + v.words, which fit the length. */
enum gpu_status ntt_keep_room(struct context *s, const struct ntt_length *length,
                              enum context_slot slot);
enum gpu_status ntt_keep(struct context *s, const struct ntt_length *length, enum context_slot slot,
                         struct number v);
enum gpu_status ntt_mul_kept(struct context *s, const struct ntt_length *length, struct number r,
                             struct number u, enum context_slot slot);

/* ntt_mul_wraparound by such a v. */
enum gpu_status ntt_mul_kept_wraparound(struct context *s, const struct ntt_length *length,
                                        struct number r, struct number u, enum context_slot slot);

/* The bytes that this device has for transforms beside numbers of so many words. */
uint64_t ntt_room(const struct context *s, uint64_t words);

/* Has this device memory for transforms of that length beside numbers of so many words? */
bool ntt_has_room(const struct context *s, const struct ntt_length *length, uint64_t words);

#endif
