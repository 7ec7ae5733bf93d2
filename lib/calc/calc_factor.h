/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factors that are used repeatedly: the device keeps their transform. */
#ifndef MPGPU_CALC_FACTOR_H
#define MPGPU_CALC_FACTOR_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

struct calc_factor {
    struct number x;
    uint64_t most;  /* most words of the other factor */
    uint64_t least; /* least n, in words, for products modulo 2^(32 n) - 1; 0: only whole
                       products */
    uint64_t ring;  /* the n, in words, with which products modulo 2^(32 n) - 1 are computed; 0:
                       whole products */
    bool is_kept;   /* false: no transform is kept, so products by x are like any others */
    bool is_halved; /* the transform is for this device's half of a product (calc_half.h) */
    enum context_slot slot;
    struct ntt_length length;
};

/* Prepares x as a factor of products by numbers of at most `most` words. If `least` is not 0,
 * calc_factor_mul_wrapped must compute these products. `which` is 0 or 1: the device keeps one
 * transform for each, until the next call with the same `which`. */
struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most,
                                    uint64_t least);

/* Computes r = u f->x. u.words is at most f->most, and r.words at least u.words + f->x.words. r
 * overlaps neither u nor f->x. */
void calc_factor_mul(struct calc *c, struct number r, struct number u, const struct calc_factor *f);

/* Returns what calc_mul_wrapped returns for u and f->x, where u.words is at most f->most. If
 * f->least is 0, this is the whole product. */
struct number calc_factor_mul_wrapped(struct calc *c, struct number u, const struct calc_factor *f);

#endif
