/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues the passes of number-theoretic transforms in the context's queue (kernels/ntt/strided.cl,
 * contiguous.cl, join.cl, crt.cl). */
#ifndef MPGPU_NTT_PASSES_H
#define MPGPU_NTT_PASSES_H

#include "lib/device/number.h"
#include "lib/multiply/ntt_plan.h"

/* A buffer of `count` transforms of one length, one after the other, each of ntt_transform_words
 * words. */
struct ntt_row {
    gpu_mem mem;
    uint64_t count;
};

uint64_t ntt_transform_words(const struct ntt_length *l);

/* Allocates memory for `count` transforms in a buffer of the context. */
enum gpu_status ntt_row_in_slot(struct context *s, const struct ntt_length *l,
                                enum context_slot slot, uint64_t count, struct ntt_row *row);

/* Computes the whole transform of x, and stores it as transform `index` of the buffer. */
enum gpu_status ntt_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                            uint64_t index, struct number x);

/* Multiplies the transform of x by the first transform of `kept`, or squares it if `kept` is NULL.
 * The product is the first transform of `work`, and its first inverse pass is done. */
enum gpu_status ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number x, const struct ntt_row *kept);

/* Multiplies the transforms of u and v. The product is the first transform of `work`, and its first
 * inverse pass is done. `other` is memory for one transform. While long operands are being
 * uploaded, one operand's transform is completed before the other operand is needed. */
enum gpu_status ntt_pointwise_pair(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct ntt_row other, struct number u,
                                   struct number v);

/* Does the same as ntt_pointwise, for a sum of products: kept[first + i] window[(k - first - i) mod
 * window.count] for all i < count. The window begins at transform `window_first` of its buffer. */
struct ntt_sum {
    struct ntt_row kept, window;
    uint64_t k, first, window_first;
    unsigned count;
};
enum gpu_status ntt_pointwise_sum(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, const struct ntt_sum *sum);

/* Completes the inverse transform, adds the coefficients into r, each from the word of its digit
 * up, and resolves the carries. r.at is a multiple of 4. Words beyond r are dropped. */
enum gpu_status ntt_inverse(struct context *s, const struct ntt_length *l, struct ntt_row work,
                            struct number r);

/* Does the work of ntt_inverse for a length of one ring, and reduces the sum modulo B^n - 1 or B^n
 * + 1 (number_carries_mulmod). */
enum gpu_status ntt_inverse_mulmod(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct number r);

#endif
