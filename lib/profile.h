/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From which size on a device is faster than GMP: built-in profiles by backend
 * and device. */
#ifndef MPGPU_PROFILE_H
#define MPGPU_PROFILE_H

#include <stddef.h>

#include "../gpu/gpu.h"

/* Sizes in limbs of the shorter operand, of mulmod in limbs of the modulus, at or
 * above which the device is used; MPGPU_NEVER (lib/conf.h) is reached by none. */
struct thresholds {
    size_t mul, sqr, mulmod, add;
};

/* The thresholds for a device; a cautious default for one that no profile knows. */
void profile_thresholds(const char *backend, const struct gpu_caps *caps, struct thresholds *t);

/* The smallest thresholds of any profile: in force before the device is known. */
void profile_smallest(struct thresholds *t);

#endif
