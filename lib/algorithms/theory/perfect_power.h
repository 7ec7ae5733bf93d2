/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests for perfect powers, by products that the device or GMP computes. */
#ifndef MPGPU_PERFECT_POWER_H
#define MPGPU_PERFECT_POWER_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* Sets *is_power if u, of at least two limbs, is r^k for an r and a k > 1; clears it otherwise.
 * Returns false, and decides nothing, if memory is missing. */
bool perfect_power_decide(struct composite *w, mpz_srcptr u, bool *is_power);

#endif
