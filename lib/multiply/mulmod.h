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
    /* Words of the result's buffer, which must have space for the product before the reduction. */
    uint64_t room;
    /* how the product is computed: MULMOD_IN_FULL computes the whole product and reduces it;
     * otherwise the transforms themselves reduce it */
    enum { MULMOD_IN_FULL, MULMOD_BY_NTT, MULMOD_BY_SSA, MULMOD_BY_FFT } way;
    union {
        struct ntt_length length; /* of those transforms */
        struct ssa_plan ssa;
        struct fft_product_plan fft;
        struct product product; /* the plan of the whole product */
    };
    /* set by mulmod_begin or mulmod_made, and mulmod_end: */
    struct check_mulmod reduced;
    /* true until the host knows whether the last launch has reduced the product completely */
    int is_open;
};

/* Plans a product of un by vn words, where vn <= un <= words. Does not use the algorithms ssa and
 * fft if they are in the bit mask `without` (WITHOUT in lib/multiply/product.h). If m->way is
 * MULMOD_IN_FULL, m->product is not planned yet: lib/selftest/verified_plan.h plans it and tests
 * the kernels. */
void mulmod_plan(const struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                 unsigned without);

/* Returns true if floating-point transforms compute the product. The result may then be wrong by
 * rounding (fft_product_is_doubted). */
bool mulmod_is_by_fft(const struct mulmod *m);

/* Returns a length n in words, least <= n < un + vn, for which the product of un by vn words modulo
 * B^n - 1 (B = 2^32) costs less than the whole product. Returns 0 if it finds none. */
uint64_t mulmod_minus_words(uint64_t least, uint64_t un, uint64_t vn);

/* Do the work of mulmod_mul in three steps:
 * - mulmod_begin queues the product. It waits only if neither ntt nor fft computes the product.
 * - mulmod_ask queues the download of a flag for mulmod_end, which says whether the device has
 *   reduced the product completely.
 * - mulmod_end is called after a wait for the queue. If the product was not reduced completely,
 *   it completes the reduction of r and sets *changed: the caller must then download r again. */
enum gpu_status mulmod_begin(struct context *s, struct mulmod *m, struct number r, struct number u,
                             struct number v);
/* Call it instead of mulmod_begin if the caller itself has computed the product before its
 * reduction. */
void mulmod_made(struct mulmod *m, struct number r);
enum gpu_status mulmod_ask(struct context *s, const struct mulmod *m);
enum gpu_status mulmod_end(struct context *s, struct mulmod *m, struct number r, int *changed);

/* Computes u v modulo M = B^n - 1 or M = B^n + 1, where B^n = 2^(32 m->words), and waits for the
 * reduction. The result is in the first m->words words of r. r has m->room words and is at the
 * beginning of its buffer. m->reduced describes the reduction; m->reduced.top is 1 if the result
 * is B^n.
 *
 * With fft, the result 0 modulo B^n - 1 is always written as B^n - 1, even if an operand is 0,
 * because both numbers have the same balanced digits. */
enum gpu_status mulmod_mul(struct context *s, struct mulmod *m, struct number r, struct number u,
                           struct number v);

#endif
