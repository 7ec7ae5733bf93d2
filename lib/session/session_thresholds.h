/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the thresholds: the least sizes of operands for which a device computes the program's
 * calls. */
#ifndef MPGPU_SESSION_THRESHOLDS_H
#define MPGPU_SESSION_THRESHOLDS_H

#include "lib/base/profile.h"

/* Sets the thresholds of the profile. Any thread may call it. */
void session_thresholds_set(const struct profile *p);

/* Sets all thresholds to never, because there is no device and will be none. Does nothing if
 * statistics are on: they count the intercepted calls. */
void session_thresholds_set_never(void);

#endif
