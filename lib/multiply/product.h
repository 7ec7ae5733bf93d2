/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products of numbers on the device, by the best algorithm for their sizes. */
#ifndef MPGPU_PRODUCT_H
#define MPGPU_PRODUCT_H

#include <stdbool.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/small.h"
#include "lib/multiply/ssa_plan.h"

struct product {
    enum { BY_NTT, BY_SSA, BY_FFT, BY_SMALL } algorithm;
    union {
        struct ntt_plan ntt;
        struct ssa_plan ssa;
        struct fft_product_plan fft;
        struct small_plan small;
    };
};

/* Returns true if an algorithm (enum conf_algorithm) can multiply un by vn words, where un >= vn >=
 * 1, on some device. */
bool product_serves(int algorithm, uint64_t un, uint64_t vn);

/* Returns the algorithm that the option `algorithm` or the device's profile requests. `words` is
 * the length of the shorter operand of a whole product; for products modulo 2^k - 1 or 2^k + 1 it
 * is the length of the modulus. The algorithm is not always possible for these sizes. */
int product_algorithm(const struct context *s, enum profile_choices which, uint64_t words);

/* Returns true and sets *p if operands of un and vn words are small enough for one launch
 * (lib/multiply/small.h), and no other algorithm that serves them is requested. un >= vn >= 1. */
bool product_is_small(const struct context *s, struct small_plan *p, uint64_t un, uint64_t vn);

/* The bit of an algorithm (enum conf_algorithm) in a mask of algorithms that must not be used. */
#define WITHOUT(algorithm) (1u << (algorithm))

/* Plans a product of un by vn words, where un >= vn >= 1. Does not use the algorithms ssa
 * (Schoenhage and Strassen) and fft (floating-point transforms) if they are in the bit mask
 * `without`. verified_plan_product (lib/selftest/verified_plan.h) does the same and also tests the
 * kernels. */
enum gpu_status product_plan(const struct context *s, struct product *p, uint64_t un, uint64_t vn,
                             unsigned without);

/* Returns the column of the statistics in which products by this plan are counted. */
enum stats_way product_way(const struct product *p);

/* Returns true if memory is so short that parts of the operands must be transformed repeatedly, and
 * the transforms get less memory than two numbers of `words` words need. */
bool product_is_strained(const struct product *p, uint64_t words);

/* Queues r = u v, by a plan for these sizes whose kernels are tested. r.words = u.words + v.words;
 * r overlaps no operand. Computes a square if u and v are the same words of the same buffer.
 * Returns GPU_NOMEM if the buffers cannot be allocated. If fft computes the product, rounding may
 * make it wrong (lib/multiply/fft_product.h). */
enum gpu_status product_mul(struct context *s, const struct product *p, struct number r,
                            struct number u, struct number v);

#endif
