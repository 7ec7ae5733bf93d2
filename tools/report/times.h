/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A table of times by operation and size, of a device and of GMP on the device's host. */
#ifndef MPGPU_TIMES_H
#define MPGPU_TIMES_H

#include <stddef.h>

#include "lib/base/profile.h"

enum times_side { TIMES_DEVICE, TIMES_GMP, TIMES_SIDES };

struct times_point {
    enum profile_threshold kind;
    enum times_side side;
    double limbs, ns;
};

struct times {
    struct times_point *point; /* sorted by kind, side and size, ascending */
    size_t points;
    char device[128];
};

/* The operations' names as mpgpu-bench prints them, by kind. */
extern const char *const times_names[PROFILE_THRESHOLDS];

/* Returns the nanoseconds of an operation at a size; 0 if the table has no point for the operation.
 * Between two points, the time is proportional to a power of the size. For sizes below the first
 * point or above the last one, the exponent of this power is limited to 0 to 1.3. */
double times_ns(const struct times *times, enum profile_threshold kind, enum times_side side,
                double limbs);

#endif
