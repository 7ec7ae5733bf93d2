/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo B^n - 1 and B^n + 1, B = 2^64. */
#ifndef MPGPU_MULMOD_H
#define MPGPU_MULMOD_H

#include "lib/device/number.h"
#include "lib/multiply/check.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/multiply/product.h"
#include "lib/multiply/ssa_plan.h"

struct mulmod {
    uint64_t words; /* of n */
    int plus;       /* B^n + 1 */
    /* set by mulmod_plan: */
    uint64_t room; /* words of the product before reduction */
    /* a whole product, or transforms in which it wraps around: */
    enum { MULMOD_IN_FULL, MULMOD_BY_NTT, MULMOD_BY_SSA, MULMOD_BY_FFT } way;
    union {
        struct ntt_length length; /* of those transforms */
        struct ssa_plan ssa;
        struct fft_product_plan fft;
        struct product product; /* for a whole product */
    };
    /* set by mulmod_mul: */
    struct check_mulmod reduced;
    int is_open; /* it is not known yet if the product is reduced */
};

/* Plans a product of un >= vn >= 1 words, un <= words. Uses ssa or fft only if not in `without`
 * (WITHOUT in lib/multiply/product.h). If m->way is MULMOD_IN_FULL, m->product is not planned yet.
 * lib/selftest/verified_plan.h plans it, and verifies the kernels. */
void mulmod_plan(const struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                 unsigned without);

/* Returns true if the product uses fft, whole or in a ring: ANSWER_DOUBT then reports a doubt. */
bool mulmod_is_by_fft(const struct mulmod *m);

/* Returns n in words, for the cheapest modulus B^n - 1 of a product of un by vn words, at least
 * `least` and fewer than un + vn. Returns 0 if the whole product costs no more. */
uint64_t mulmod_minus_words(uint64_t least, uint64_t un, uint64_t vn);

/* mulmod_mul in three steps. The host waits in the first step only if the product uses neither ntt
 * nor fft. Call mulmod_end after a wait for the queue. If it sets *changed, it has changed the
 * result, and all that was derived from the result must be recomputed. */
enum gpu_status mulmod_begin(struct context *s, struct mulmod *m, struct number r, struct number u,
                             struct number v);
void mulmod_made(struct mulmod *m, struct number r); /* before mulmod_ask, without _begin */
enum gpu_status mulmod_ask(struct context *s, const struct mulmod *m);
enum gpu_status mulmod_end(struct context *s, struct mulmod *m, struct number r, int *changed);

/* Computes u v modulo B^n -+ 1 into the first m->words words of r, which has m->room words and
 * begins its buffer. m->reduced describes the reduction; its `top` is 1 if the result is B^n. The
 * host waits for that. With fft, 0 modulo B^n - 1 becomes B^n - 1, also if an operand is 0: both
 * have the same balanced digits. */
enum gpu_status mulmod_mul(struct context *s, struct mulmod *m, struct number r, struct number u,
                           struct number v);

#endif
