/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices. */
#ifndef MPGPU_COMPOSITION_SHARES_H
#define MPGPU_COMPOSITION_SHARES_H

#include "lib/base/outcome.h"
#include "lib/calc/calc.h"

enum { COMPOSITION_ARGUMENT = 896 }; /* bytes, at most */

/* Do two devices pay where the longest product of an operation has so many limbs, and may they be
 * used?  0: the operation is not written for two. */
bool composition_may_share(size_t limbs);

/* calc_run_half by two devices that have nothing else to do, each with a copy of {argument, size};
 * the first one's comes back.  `bytes` are those of operands and results, which were touched.
 * OUTCOME_DONE; or results may be anything: then the operation is one device's, and *device is one
 * that has not failed, or SESSION_ANY. */
enum outcome composition_in_shares(void (*work)(struct calc *c, void *argument), void *argument,
                                   size_t size, size_t bytes, int *device);

#endif
