/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The passes of transforms, put into the context's queue: kernels/ntt/strided.cl,
 * contiguous.cl, join.cl, crt.cl. */
#ifndef MPGPU_NTT_PASSES_H
#define MPGPU_NTT_PASSES_H

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* Transforms of one length, ntt_transform_words each, behind one another; the first
 * begins the buffer. */
struct ntt_row {
    gpu_mem mem;
    uint64_t count;
};

uint64_t ntt_transform_words(const struct ntt_length *l);

/* Room for so many in a slot. */
enum gpu_status ntt_row_in_slot(struct context *s, const struct ntt_length *l,
                                enum context_slot slot, uint64_t count, struct ntt_row *row);

/* The transform of x, whole, as transform `index` of the row. */
enum gpu_status ntt_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                            uint64_t index, struct number x);

/* The product of x and the first of `kept`, or the square of x if kept is NULL, in the
 * first of `work`, transformed back over the levels of its last pass. */
enum gpu_status ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number x, const struct ntt_row *kept);

/* The product of u and v in the first of `work`, transformed back over the levels of its last pass;
 * `other`, of one transform, is scratch.  While operands of some size are on their way, v's
 * transform is finished before u has to be here. */
enum gpu_status ntt_pointwise_pair(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct ntt_row other, struct number u,
                                   struct number v);

/* As ntt_pointwise, of the sum of kept[first + i] window[(k - first - i) mod window.count], i <
 * count. */
struct ntt_sum {
    struct ntt_row kept, window;
    uint64_t k, first;
    unsigned count;
};
enum gpu_status ntt_pointwise_sum(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, const struct ntt_sum *sum);

/* The rest of the inverse, the coefficients' sum into r (r.at a multiple of 4; what does
 * not fit is left away), and its carries. */
enum gpu_status ntt_inverse(struct context *s, const struct ntt_length *l, struct ntt_row work,
                            struct number r);

/* The same for a length of one ring and the sum modulo B^n -+ 1: number_carries_mulmod. */
enum gpu_status ntt_inverse_mulmod(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct number r);

#endif
