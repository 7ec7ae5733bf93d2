/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of numbers on the device, by the best algorithm for their sizes. */
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

/* Returns true if an algorithm of enum conf_algorithm can multiply un >= vn >= 1 words. */
bool product_serves(int algorithm, uint64_t un, uint64_t vn);

/* Returns the algorithm that the option or the profile requests for products whose shorter operand
 * has `words` words, or in a ring of `words` words. It may not allow the sizes. */
int product_algorithm(const struct context *s, enum profile_choices which, uint64_t words);

/* Returns true, and sets the plan, if operands of un >= vn >= 1 words are small enough for
 * lib/multiply/small.h. */
bool product_is_small(const struct context *s, struct small_plan *p, uint64_t un, uint64_t vn);

/* Algorithms that must not be used: bits of enum conf_algorithm. */
#define WITHOUT(algorithm) (1u << (algorithm))

/* Plans a product of un >= vn >= 1 words on this device, with ssa or fft only if not in `without`.
 * lib/selftest/verified_plan.h also verifies the kernels. */
enum gpu_status product_plan(const struct context *s, struct product *p, uint64_t un, uint64_t vn,
                             unsigned without);

/* Returns the column of the statistics that counts products by this plan. */
enum stats_way product_way(const struct product *p);

/* Returns true if memory, without operands and result of un + vn words each, is so short that parts
 * of the operands must be transformed repeatedly. */
bool product_is_strained(const struct product *p, uint64_t words);

/* r = u v, planned for these sizes, with verified kernels; r.words = u.words + v.words; a square if
 * both are the same words of the same buffer. r overlaps neither. Queues all work in the context's
 * queue. Returns GPU_NOMEM if the buffers do not fit. A product by fft may be doubted
 * (lib/multiply/fft_product.h). */
enum gpu_status product_mul(struct context *s, const struct product *p, struct number r,
                            struct number u, struct number v);

#endif
