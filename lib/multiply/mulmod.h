/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products modulo B^n - 1 and B^n + 1, B = 2^64. */
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
    uint64_t room; /* the words that r needs before the reduction */
    /* how the product is computed: in full and then reduced, or reduced by the transforms
     * themselves */
    enum { MULMOD_IN_FULL, MULMOD_BY_NTT, MULMOD_BY_SSA, MULMOD_BY_FFT } way;
    union {
        struct ntt_length length; /* of those transforms */
        struct ssa_plan ssa;
        struct fft_product_plan fft;
        struct product product; /* the plan of the whole product */
    };
    /* set by mulmod_mul: */
    struct check_mulmod reduced;
    /* true until the host knows whether the last launch has reduced the product completely */
    int is_open;
};

/* Plans a product of un >= vn >= 1 words, un <= words. Does not use the algorithms ssa and fft if
 * they are in the bit mask `without` (WITHOUT in lib/multiply/product.h). If m->way is
 * MULMOD_IN_FULL, m->product is not planned yet: lib/selftest/verified_plan.h does that, and tests
 * the kernels. */
void mulmod_plan(const struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                 unsigned without);

/* Returns true if floating-point transforms compute the product, whose result may then be doubted
 * (fft_product_is_doubted). */
bool mulmod_is_by_fft(const struct mulmod *m);

/* Returns the n, in words, for which the product of un by vn words modulo B^n - 1 is cheapest,
 * where n is at least `least` and less than un + vn. Returns 0 if the whole product costs no
 * more. */
uint64_t mulmod_minus_words(uint64_t least, uint64_t un, uint64_t vn);

/* Do the work of mulmod_mul in three steps. mulmod_begin waits only if neither ntt nor fft computes
 * the product. mulmod_ask queues the download of the device's answers that mulmod_end reads:
 * whether the reduction is complete. Call mulmod_end after a wait for the queue. If it sets
 * *changed, it has completed the reduction of r, and the caller must repeat downloads of r. */
enum gpu_status mulmod_begin(struct context *s, struct mulmod *m, struct number r, struct number u,
                             struct number v);
/* replaces mulmod_begin if the caller has computed the unreduced product itself */
void mulmod_made(struct mulmod *m, struct number r);
enum gpu_status mulmod_ask(struct context *s, const struct mulmod *m);
enum gpu_status mulmod_end(struct context *s, struct mulmod *m, struct number r, int *changed);

/* Computes u v modulo B^n - 1 or B^n + 1, and waits for the reduction. The result is in the first
 * m->words words of r, which has m->room words and begins its buffer. m->reduced describes the
 * reduction; its `top` is 1 if the result is B^n. With fft, the result 0 modulo B^n - 1 is always
 * written as B^n - 1, even if an operand is 0, because both have the same balanced digits. */
enum gpu_status mulmod_mul(struct context *s, struct mulmod *m, struct number r, struct number u,
                           struct number v);

#endif
