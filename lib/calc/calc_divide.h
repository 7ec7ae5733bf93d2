/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of device numbers by a reciprocal. */
#ifndef MPGPU_CALC_DIVIDE_H
#define MPGPU_CALC_DIVIDE_H

#include "lib/calc/calc_factor.h"

#define CALC_LAZY_BITS 3 /* of zeros above such a modulus */

/* A divisor of n quads, d, shifted up by `shift` bits so that its highest bit is set, or the one
 * three below it, and its reciprocal v with k quads, k <= n + 1. */
struct calc_divisor {
    uint64_t n, k;
    int64_t shift;
    bool is_used_again;     /* for several blocks of quotients */
    bool is_quotient_alone; /* wanted of calc_divide */
    struct number d;
    struct calc_factor by_d, by_v;
};

/* What of a divisor of so many bits, for quotients of at most qn quads at once, follows from that:
 * n, shift and the k that makes the division cheapest. */
struct calc_divisor calc_divisor_plan(uint64_t bits, uint64_t qn);

/* The same for a modulus of calc_lazy_reduce: k = n + 1, and d < B^n / 8. */
struct calc_divisor calc_modulus_plan(uint64_t bits);

/* d and v, for the divisor as it came, and the first approximation that calc_reciprocal wants. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first);

/* For a plan by calc_modulus_plan and n2 < 4 d^2, of 2n quads: r = n2 - q d < 2d, of n quads, apart
 * from n2.  Returns q, of n quads, in room that is taken. */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number r,
                               struct number n2);

/* In place: n2, whose highest n quads are less than d, becomes its remainder by d in its lowest n
 * quads; what lies above is lost.  q, of the quads that n2 has more than d, is the quotient; it has
 * no words where it is not wanted.  Of a quotient alone the host leaves out the remainder if it
 * need not be known: false, and the remainder is at least d / 2^64. */
bool calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2);

#endif
