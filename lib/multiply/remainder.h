/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes remainders N - q d of divisions of N by d. The product q d is known only modulo B^w - 1,
 * where B = 2^32. */
#ifndef MPGPU_REMAINDER_H
#define MPGPU_REMAINDER_H

#include "lib/device/number.h"

/* Queues the computation of the lowest r.words words of N - q d, where B = 2^32, r.words <= w and
 * 0 <= N - q d < B^w - 1. p, of w words, must be congruent to q d modulo B^w - 1; the value 0 may
 * be stored as B^w - 1. N has fewer than 2w words. Of q and d only the lowest words are read. All
 * numbers begin at multiples of 4 words; r overlaps no operand. Uses the buffer SLOT_FLAGS. */
enum gpu_status remainder_make(struct context *s, struct number r, struct number n, struct number p,
                               struct number q, struct number d);

#endif
