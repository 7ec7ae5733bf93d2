/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of numbers on the device, by the algorithm that suits their sizes. */
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

/* Whether an algorithm, one of enum conf_algorithm, can multiply un >= vn >= 1 words. */
bool product_serves(int algorithm, uint64_t un, uint64_t vn);

/* What the option or the profile asks for: for products whose shorter operand has so many words,
 * or in a ring of so many.  It need not fit the sizes. */
int product_algorithm(const struct context *s, enum profile_choices which, uint64_t words);

/* Are operands of un >= vn >= 1 words for lib/multiply/small.h?  Then the plan, else 0. */
bool product_is_small(const struct context *s, struct small_plan *p, uint64_t un, uint64_t vn);

/* Algorithms that are not to be used: bits of enum conf_algorithm. */
#define WITHOUT(algorithm) (1u << (algorithm))

/* How to multiply un >= vn >= 1 words on this device; by ssa or fft only if not `without`.
 * lib/selftest/verified_plan.h verifies the kernels too. */
enum gpu_status product_plan(const struct context *s, struct product *p, uint64_t un, uint64_t vn,
                             unsigned without);

/* Returns the column of the statistics that counts products by this plan. */
enum stats_way product_way(const struct product *p);

/* Does memory leave so little beside operands and result, un + vn words of each, that parts
 * of the operands have to be transformed again and again? */
bool product_is_strained(const struct product *p, uint64_t words);

/* r = u v, planned for these sizes, its kernels verified; r.words = u.words + v.words; a square if
 * both are the same words of the same buffer.  r lies apart from both.  Everything is put into the
 * context's queue.  GPU_NOMEM if the buffers do not fit.  By fft, it is to be doubted
 * (lib/multiply/fft_product.h). */
enum gpu_status product_mul(struct context *s, const struct product *p, struct number r,
                            struct number u, struct number v);

#endif
