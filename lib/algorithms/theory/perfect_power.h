/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Perfect powers, inside a composite operation. */
#ifndef MPGPU_PERFECT_POWER_H
#define MPGPU_PERFECT_POWER_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* Is u, of at least two limbs, r^k for an r and k > 1?  False, and nothing is said, if there is no
 * memory. */
bool perfect_power_decide(struct composite *w, mpz_srcptr u, bool *is_power);

#endif
