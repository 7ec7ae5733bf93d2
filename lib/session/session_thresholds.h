/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds that apply to the program's calls. */
#ifndef MPGPU_SESSION_THRESHOLDS_H
#define MPGPU_SESSION_THRESHOLDS_H

#include "lib/base/profile.h"

/* Sets this profile's thresholds. Any thread. */
void session_thresholds_set(const struct profile *p);

/* Sets all thresholds to never: there is no device and will be none. If calls are counted, they are
 * still intercepted. */
void session_thresholds_set_never(void);

#endif
