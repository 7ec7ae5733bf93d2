/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of device numbers by a reciprocal. */
#ifndef MPGPU_CALC_DIVIDE_H
#define MPGPU_CALC_DIVIDE_H

#include "lib/calc/calc_factor.h"

#define CALC_LAZY_BITS 3 /* zero bits at the top of a modulus (calc_modulus_plan) */

/* A divisor d of n quads (128 bits each). It is shifted up by `shift` bits until its highest bit is
 * set; a modulus keeps CALC_LAZY_BITS zero bits above. v is d's reciprocal, of k <= n + 1 quads. */
struct calc_divisor {
    uint64_t n, k;
    int64_t shift;
    bool is_used_again;     /* several blocks of quotients use the reciprocal */
    bool is_quotient_alone; /* calc_divide may leave out the remainder */
    struct number d;
    struct calc_factor by_d, by_v;
};

/* Plans a divisor of `bits` bits, for blocks of at most qn quads (128 bits each) of the quotient:
 * sets n, shift, and the k with the cheapest division. */
struct calc_divisor calc_divisor_plan(uint64_t bits, uint64_t qn);

/* Plans a modulus of `bits` bits for calc_lazy_reduce, with k = n + 1 and d < 2^(128 n) / 8. */
struct calc_divisor calc_modulus_plan(uint64_t bits);

/* Computes the fields of *by from the unshifted divisor: d, and its reciprocal v. `first` is the
 * first approximation that calc_reciprocal needs. */
void calc_divisor_make(struct calc *c, struct calc_divisor *by, struct number divisor,
                       struct number first);

/* Reduces n2, a number of 2n quads (128 bits each) below 4 d^2. Sets r to n2 - q d, which is below
 * 2d and has n quads, and returns q, of n quads, taken by calc_take. calc_modulus_plan must have
 * planned d; r must not overlap n2. */
struct number calc_lazy_reduce(struct calc *c, const struct calc_divisor *by, struct number r,
                               struct number n2);

/* Divides n2 by the divisor d of n quads (128 bits each), in place. The highest n quads of n2
 * must be less than d. The lowest n quads of n2 become the remainder; the other quads are
 * overwritten. q is the quotient, n quads shorter than n2; it has no words if the caller does not
 * need it.
 *
 * Returns true if it has computed the remainder. If by->is_quotient_alone is set, it may return
 * false and skip the remainder. In this case the remainder is known to be at least d / 2^64. */
bool calc_divide(struct calc *c, const struct calc_divisor *by, struct number q, struct number n2);

#endif
