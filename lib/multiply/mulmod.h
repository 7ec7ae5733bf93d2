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
    /* by mulmod_plan: */
    uint64_t room; /* words that the product takes before it is reduced */
    /* in full, or by transforms in which it wraps round: */
    enum { MULMOD_IN_FULL, MULMOD_BY_NTT, MULMOD_BY_SSA, MULMOD_BY_FFT } way;
    union {
        struct ntt_length length; /* of those transforms */
        struct ssa_plan ssa;
        struct fft_product_plan fft;
        struct product product; /* in full */
    };
    /* by mulmod_mul: */
    struct check_mulmod reduced;
    int is_open; /* whether that is right is not known yet */
};

/* How to multiply un >= vn >= 1 words, un <= words; by ssa or fft only if not `without` (WITHOUT in
 * lib/multiply/product.h).  Where that is MULMOD_IN_FULL, m->product is still to be planned.
 * lib/selftest/verified_plan.h does so, and verifies the kernels. */
void mulmod_plan(const struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                 unsigned without);

/* Is it made by fft, in full or not, and so to be doubted?  Then ANSWER_DOUBT tells. */
bool mulmod_is_by_fft(const struct mulmod *m);

/* The words of the n for which B^n - 1 is the modulus of a product of un by vn words that
 * costs less than the product in full, at least `least` and fewer than un + vn; or 0. */
uint64_t mulmod_minus_words(uint64_t least, uint64_t un, uint64_t vn);

/* mulmod_mul in three steps, of which the host waits for the first only where the product does not
 * come by ntt or fft.  mulmod_end stands behind a wait for the queue, and may change the result:
 * then all that was made of it is to be made again. */
enum gpu_status mulmod_begin(struct context *s, struct mulmod *m, struct number r, struct number u,
                             struct number v);
void mulmod_made(struct mulmod *m, struct number r); /* by others, so that the second may follow */
enum gpu_status mulmod_ask(struct context *s, const struct mulmod *m);
enum gpu_status mulmod_end(struct context *s, struct mulmod *m, struct number r, int *changed);

/* The first m->words words of r = u v modulo B^n -+ 1; r has m->room words and begins
 * its buffer. m->reduced says how the product was reduced, and its `top` whether the
 * result is B^n; the host waits for that.  By fft, 0 modulo B^n - 1 comes as B^n - 1, also of an
 * operand that is 0: both have the same balanced digits. */
enum gpu_status mulmod_mul(struct context *s, struct mulmod *m, struct number r, struct number u,
                           struct number v);

#endif
