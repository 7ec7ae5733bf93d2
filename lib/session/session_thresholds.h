/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds that count for the program's calls. */
#ifndef MPGPU_SESSION_THRESHOLDS_H
#define MPGPU_SESSION_THRESHOLDS_H

#include "lib/base/profile.h"

/* This profile's.  Any thread. */
void session_thresholds_set(const struct profile *p);

/* There is no device, and none to come: calls need not ask, unless they are counted. */
void session_thresholds_set_never(void);

#endif
