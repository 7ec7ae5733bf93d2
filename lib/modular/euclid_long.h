/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds and inverses of batches of long numbers, by long jumps and products of batches
 * (doc/design/euclid-batches.md). */
#ifndef MPGPU_EUCLID_LONG_H
#define MPGPU_EUCLID_LONG_H

#include "lib/modular/euclid_plan.h"

/* Queues gcds, or inverses modulo odd numbers, without a check, in pieces if memory is short. Waits
 * for the device, because the count of jumps depends on the numbers. If is_tracked, stores records
 * for the check. */
enum gpu_status euclid_long(struct context *s, const struct euclid_piece *p, bool is_tracked);

/* Returns the words of an entry of the longest jump's matrix, for numbers of `words` words. */
uint32_t euclid_long_entry(uint32_t words);

#endif
