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

/* Returns the reciprocal v of d, with k quads (128 bits each). d has more than k quads; the lowest
 * may be zeros below the actual divisor.  `first` is the reciprocal with f =
 * calc_reciprocal_first(k) quads: floor((B^(2f+1) - 1) / (D + 1)) - 1 for the f + 1 highest quads D
 * of d, B = 2^128. */
struct number calc_reciprocal(struct calc *c, struct number d, uint64_t k, struct number first);

#endif
