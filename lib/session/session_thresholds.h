/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the thresholds above which the program's calls go to a device. */
#ifndef MPGPU_SESSION_THRESHOLDS_H
#define MPGPU_SESSION_THRESHOLDS_H

#include "lib/base/profile.h"

/* Sets the thresholds of the profile. Any thread. */
void session_thresholds_set(const struct profile *p);

/* Sets all thresholds to never, because there is no device and will be none. Calls are then
 * intercepted only to count them for statistics. */
void session_thresholds_set_never(void);

#endif
