/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes remainders N - q d, where the product q d is known only modulo B^w - 1, B = 2^32. */
#ifndef MPGPU_REMAINDER_H
#define MPGPU_REMAINDER_H

#include "lib/device/number.h"

/* Queues the computation of the lowest r.words words of N - q d, where B = 2^32, r.words <= w and 0
 * <= N - q d < B^w - 1. p has w words and is q d modulo B^w - 1, where B^w - 1 may stand for 0. N
 * has fewer than 2w words. Of q and d only the lowest words are read. All numbers begin at
 * multiples of 4 words; r overlaps no operand. Uses the buffer SLOT_FLAGS. */
enum gpu_status remainder_make(struct context *s, struct number r, struct number n, struct number p,
                               struct number q, struct number d);

#endif
