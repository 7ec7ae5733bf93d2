/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factors that are used repeatedly: their transform is kept. */
#ifndef MPGPU_CALC_FACTOR_H
#define MPGPU_CALC_FACTOR_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

struct calc_factor {
    struct number x;
    uint64_t most;  /* most words of the other factor */
    uint64_t least; /* least words of products modulo B^n - 1; 0: whole products */
    uint64_t ring;  /* n in words; 0: whole products are used */
    bool is_kept;   /* false: products by it are like any others */
    bool is_halved; /* for this device's half of products (lib/calc/calc_half.h) */
    enum context_slot slot;
    struct ntt_length length;
};

/* Prepares x for products by numbers of at most `most` words; with `least`, for
 * calc_factor_mul_wrapped. `which` is 0 or 1: one transform is kept for each, until the next call
 * with the same `which`. */
struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most,
                                    uint64_t least);

/* r = u x; u.words <= most, r.words >= u.words + x.words; r overlaps neither. */
void calc_factor_mul(struct calc *c, struct number r, struct number u, const struct calc_factor *f);

/* Returns what calc_mul_wrapped returns for u and x; u.words <= most. With least 0 it is u x. */
struct number calc_factor_mul_wrapped(struct calc *c, struct number u, const struct calc_factor *f);

#endif
