/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of device numbers by a reciprocal. */
#ifndef MPGPU_CALC_DIVIDE_H
#define MPGPU_CALC_DIVIDE_H

#include "lib/calc/calc_factor.h"

/* A divisor of n quads, d, shifted up by `shift` bits so that its highest bit is set, and its
 * reciprocal v with k quads, k <= n + 1. */
struct calc_divisor {
    uint64_t n, k;
    int64_t shift;
    bool is_used_again; /* for several blocks of quotients */
    struct number d;
    struct calc_factor by_d, by_v;
};

/* What of a divisor of so many bits, for quotients of at most qn quads at once, follows from that:
 * n, shift and the k that makes the division cheapest. */
struct calc_divisor calc_divisor_plan(uint64_t bits, uint64_t qn);

/* d and v, for the divisor as it came, and the first approximation that calc_reciprocal wants. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first);

/* In place: n2, whose highest n quads are less than d, becomes its remainder by d in its lowest n
 * quads; what lies above is lost.  q, of the quads that n2 has more than d, is the quotient; it has
 * no words where it is not wanted. */
void calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2);

#endif
