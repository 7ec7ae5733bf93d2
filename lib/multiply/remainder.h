/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainders by products modulo B^w - 1, B = 2^32. */
#ifndef MPGPU_REMAINDER_H
#define MPGPU_REMAINDER_H

#include "lib/device/number.h"

/* r = the lowest r.words <= w words of N - q d, which must be at least 0 and less than B^w - 1. p,
 * of w words, is q d modulo B^w - 1, or B^w - 1 for 0. N has fewer than 2w words; only the lowest
 * words of q and d are read. All begin at multiples of 4 words; r overlaps none. Queued in the
 * context's queue; uses SLOT_FLAGS. */
enum gpu_status remainder_make(struct context *s, struct number r, struct number n, struct number p,
                               struct number q, struct number d);

#endif
