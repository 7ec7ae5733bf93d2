/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reciprocals of device numbers.  Here B = 2^128 is a quad of four words. */
#ifndef MPGPU_CALC_RECIPROCAL_H
#define MPGPU_CALC_RECIPROCAL_H

#include "lib/calc/calc.h"

/* A reciprocal v has k quads (128 bits each) of precision, but is k + 1 quads long: 0 < B^(n+k) / d
 * - v < 3, B = 2^128. Here d is a divisor of n quads whose highest bit is set. */

/* Returns how many quads (128 bits each) the host's first approximation has, from which the device
 * computes a reciprocal of k quads. */
uint64_t calc_reciprocal_first(uint64_t k);

/* Returns the length in limbs of the first approximation, which has one quad (128 bits) more than
 * calc_reciprocal_first returns. */
static inline uint64_t calc_reciprocal_first_limbs(uint64_t k) {
    return 2 * (calc_reciprocal_first(k) + 1);
}

/* Returns the reciprocal v of d, with k quads (128 bits each). d has more than k quads. If the
 * actual divisor is shorter, the lowest quads of d are zeros.
 *
 * `first` is a first approximation, of f = calc_reciprocal_first(k) quads, which the caller
 * computes. It is floor((B^(2f+1) - 1) / (D + 1)) - 1, where B = 2^128 and D is the highest f + 1
 * quads of d. */
struct number calc_reciprocal(struct calc *c, struct number d, uint64_t k, struct number first);

#endif
