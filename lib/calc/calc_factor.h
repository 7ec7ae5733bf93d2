/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factors that are used again: their transform is kept. */
#ifndef MPGPU_CALC_FACTOR_H
#define MPGPU_CALC_FACTOR_H

#include "lib/calc/calc.h"
#include "lib/multiply/ntt_plan.h"

struct calc_factor {
    struct number x;
    uint64_t most; /* words of the other factor, at most */
    bool is_kept;  /* else products by it are as any others */
    uint64_t ring; /* words of the n for which products come modulo B^n - 1, B = 2^32; 0: in full */
    enum context_slot slot;
    struct ntt_length length;
};

/* x for products by numbers of at most `most` words.  `which` is 0 or 1: one transform is kept
 * for each, until the next of that number is made. */
struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most);

/* The same, kept for products modulo B^n - 1, n at least `least`, where those take less time. */
struct calc_factor calc_factor_make_ring(struct calc *c, unsigned which, struct number x,
                                         uint64_t most, uint64_t least);

/* The words of such a product, f->ring > 0. */
uint64_t calc_factor_ring_words(const struct calc_factor *f);

/* r = u x; u.words <= most, r.words >= u.words + x.words; r lies apart.  Of a ring r has those
 * words, and is at most u x, and congruent to it: not reduced, so that it is u x itself if that is
 * below B^n.  u x = p + B^n h for numbers p and h >= 0 with r = p + h. */
void calc_factor_mul(struct calc *c, struct number r, struct number u, const struct calc_factor *f);

#endif
