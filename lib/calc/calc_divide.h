/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of device numbers by a reciprocal. */
#ifndef MPGPU_CALC_DIVIDE_H
#define MPGPU_CALC_DIVIDE_H

#include "lib/calc/calc_factor.h"

#define CALC_LAZY_BITS 3 /* zero bits above such a modulus */

/* A divisor d of n quads, shifted up by `shift` bits so that its highest bit is set, or for a
 * modulus the bit three below. v is its reciprocal with k quads, k <= n + 1. */
struct calc_divisor {
    uint64_t n, k;
    int64_t shift;
    bool is_used_again;     /* for several blocks of quotients */
    bool is_quotient_alone; /* calc_divide may leave out the remainder */
    struct number d;
    struct calc_factor by_d, by_v;
};

/* Plans a divisor of `bits` bits for quotients of at most qn quads at once: n, shift, and the k
 * with the cheapest division. */
struct calc_divisor calc_divisor_plan(uint64_t bits, uint64_t qn);

/* As calc_divisor_plan, for a modulus of calc_lazy_reduce: k = n + 1, and d < B^n / 8. */
struct calc_divisor calc_modulus_plan(uint64_t bits);

/* Computes d and v for the unshifted divisor and the first approximation for calc_reciprocal. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first);

/* For a plan by calc_modulus_plan and n2 < 4 d^2, of 2n quads: r = n2 - q d < 2d, of n quads, not
 * overlapping n2. Returns q, of n quads, taken by calc_take. */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number r,
                               struct number n2);

/* Divides in place. The highest n quads of n2 must be less than d. The lowest n quads of n2 become
 * the remainder by d; the others are lost. q is the quotient, of the quads that n2 has more than d,
 * or has no words if it is not needed. With is_quotient_alone the host leaves out the remainder if
 * it can: returns false, and the remainder is then at least d / 2^64. */
bool calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2);

#endif
