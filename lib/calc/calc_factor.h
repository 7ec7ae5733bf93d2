/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factors that are used again: their transform is kept. */
#ifndef MPGPU_CALC_FACTOR_H
#define MPGPU_CALC_FACTOR_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

struct calc_factor {
    struct number x;
    uint64_t most;  /* words of the other factor, at most */
    uint64_t least; /* words of products modulo B^n - 1; 0: products are in full */
    uint64_t ring;  /* the words of n, or 0 where they are in full all the same */
    bool is_kept;   /* else products by it are as any others */
    bool is_halved; /* for this device's half of products (lib/calc/calc_half.h) */
    enum context_slot slot;
    struct ntt_length length;
};

/* x for products by numbers of at most `most` words: with `least` for those of
 * calc_factor_mul_wrapped.  `which` is 0 or 1: one transform is kept for each, until the next of
 * that number is made. */
struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most,
                                    uint64_t least);

/* r = u x; u.words <= most, r.words >= u.words + x.words; r lies apart. */
void calc_factor_mul(struct calc *c, struct number r, struct number u, const struct calc_factor *f);

/* What calc_mul_wrapped gives of u and x; u.words <= most.  With least 0 it is u x. */
struct number calc_factor_mul_wrapped(struct calc *c, struct number u, const struct calc_factor *f);

#endif
