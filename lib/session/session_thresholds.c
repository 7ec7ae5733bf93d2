/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the thresholds: the least sizes of operands for which a device computes the program's
 * calls. */
#include "lib/session/session_thresholds.h"

#include "lib/base/conf.h"
#include "lib/base/thresholds.h"

void session_thresholds_set(const struct profile *p) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, profile_limbs(p, i));
}

void session_thresholds_set_never(void) {
    if (conf_has_stats())
        return;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, MPGPU_NEVER);
}
