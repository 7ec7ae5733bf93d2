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
 * Stores the product as the first transform of `work`, and also computes its first inverse pass. */
enum gpu_status ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number x, const struct ntt_row *kept);

/* Multiplies the transforms of u and v. Stores the product as the first transform of `work`, and
 * also computes its first inverse pass. `other` is memory for one transform. */
enum gpu_status ntt_pointwise_pair(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct ntt_row other, struct number u,
                                   struct number v);

/* The arguments of ntt_pointwise_sum, which does the same as ntt_pointwise for the sum of `count`
 * products of two transforms. Product i, 0 <= i < count, has these factors:
 * - transform first + i of `kept`
 * - transform (k - first - i) mod window.count of `window`, whose transforms begin at transform
 *   `window_first` of its buffer */
struct ntt_sum {
    struct ntt_row kept, window;
    uint64_t k, first, window_first;
    unsigned count;
};
enum gpu_status ntt_pointwise_sum(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, const struct ntt_sum *sum);

/* Completes the inverse transform, adds the coefficients into r, each from its digit's word
 * upwards, and resolves the carries. r.at is a multiple of 4. Words above r are dropped. */
enum gpu_status ntt_inverse(struct context *s, const struct ntt_length *l, struct ntt_row work,
                            struct number r);

/* Does the work of ntt_inverse for a length of n digits modulo one polynomial. Reduces the sum
 * modulo B^n - 1 or B^n + 1, where B = 2^64 (number_carries_mulmod). */
enum gpu_status ntt_inverse_mulmod(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct number r);

/* ---- transforms of the entries of a matrix. Each launch computes up to NTT_BATCH_MOST transforms.
 * If a length has two rings (factors of the polynomial modulus), all transforms modulo the first
 * ring precede all transforms modulo the second one. */
enum { NTT_BATCH_MOST = 65535 / 5 }; /* 65535: CUDA's most work-groups along y; 5: the primes */

/* Returns the word at which the transforms modulo ring i (a factor of the polynomial modulus) begin
 * in a buffer of `count` transforms. */
uint64_t ntt_batch_ring_at(const struct ntt_length *l, uint64_t count, unsigned i);

/* A block of `width` adjacent columns of a matrix of `columns` columns. The block begins at word
 * `at`. Entries are in two's complement of `words` words, an even number. */
struct ntt_block {
    gpu_mem mem;
    uint64_t at, words, columns;
    uint32_t width;
};

/* Computes the transforms of all to.count entries of a block, row by row. */
enum gpu_status ntt_batch_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                                  const struct ntt_block *x);

/* A buffer of numbers of `words` words each, which begin `stride` words apart, a multiple of 4. */
struct ntt_sums {
    gpu_mem mem;
    uint64_t words, stride;
    uint32_t offset;
};

/* Completes `count` inverse transforms, beginning with transform `first`, whose point-wise products
 * are computed. count is at most NTT_BATCH_MOST. *c gets the lowest words of the sums of the
 * coefficients, in two's complement.
 *
 * - To make all coefficients positive, adds c->offset * 2^64 (2^64 - 1) to each coefficient, and
 *   c->offset * 2^64 to the first one. The length has at least words / 2 digits, so these terms add
 *   up to a multiple of 2^(32 * words).
 * - Carries between the chunks of a number are not resolved yet. SLOT_FLAGS has the flags of the
 *   chunks, number after number. The kernel matrix_carry resolves the carries. */
enum gpu_status ntt_batch_inverse(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, uint64_t first, unsigned count,
                                  const struct ntt_sums *c);

#endif
