/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients of batches of long numbers, by Newton's method and products of batches
 * (doc/design/euclid-batches.md). */
#ifndef MPGPU_EUCLID_NEWTON_H
#define MPGPU_EUCLID_NEWTON_H

#include "lib/modular/euclid_divide.h"

/* Queues the division, without a check, in pieces of at most 1 GiB of intermediate results. Waits
 * for the device, because the count of launches depends on the divisors' highest zero words. */
enum gpu_status euclid_newton(struct context *s, const struct euclid_part *p);

/* Returns the length in words of the shifted divisors, for divisors of `words` words. */
uint32_t euclid_newton_words(uint32_t words);

#endif
