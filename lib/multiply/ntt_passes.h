/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The passes of transforms, queued in the context's queue: kernels/ntt/strided.cl, contiguous.cl,
 * join.cl, crt.cl. */
#ifndef MPGPU_NTT_PASSES_H
#define MPGPU_NTT_PASSES_H

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* Transforms of one length, ntt_transform_words each, one after another; the first begins the
 * buffer. */
struct ntt_row {
    gpu_mem mem;
    uint64_t count;
};

uint64_t ntt_transform_words(const struct ntt_length *l);

/* Allocates `count` transforms in a slot. */
enum gpu_status ntt_row_in_slot(struct context *s, const struct ntt_length *l,
                                enum context_slot slot, uint64_t count, struct ntt_row *row);

/* Computes the whole transform of x, as transform `index` of the row. */
enum gpu_status ntt_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                            uint64_t index, struct number x);

/* Multiplies x by the first transform of `kept`, or squares x if kept is NULL. The product is in
 * the first transform of `work`, after the inverse levels of its last pass. */
enum gpu_status ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number x, const struct ntt_row *kept);

/* Multiplies u by v in the first transform of `work`, with the inverse levels of its last pass;
 * `other`, one transform, is scratch. While larger operands are being uploaded, v's transform is
 * completed before u is needed. */
enum gpu_status ntt_pointwise_pair(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct ntt_row other, struct number u,
                                   struct number v);

/* As ntt_pointwise, for the sum of kept[first + i] window[(k - first - i) mod window.count], i <
 * count. */
struct ntt_sum {
    struct ntt_row kept, window;
    uint64_t k, first;
    unsigned count;
};
enum gpu_status ntt_pointwise_sum(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, const struct ntt_sum *sum);

/* Completes the inverse, sums up the coefficients into r, and resolves its carries. r.at is a
 * multiple of 4; words that do not fit are dropped. */
enum gpu_status ntt_inverse(struct context *s, const struct ntt_length *l, struct ntt_row work,
                            struct number r);

/* Does the work of ntt_inverse for a length of one ring, but reduces the sum modulo B^n -+ 1
 * (number_carries_mulmod). */
enum gpu_status ntt_inverse_mulmod(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct number r);

#endif
