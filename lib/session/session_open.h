/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens the devices that the options name, each in the thread of its first stream. */
#ifndef MPGPU_SESSION_OPEN_H
#define MPGPU_SESSION_OPEN_H

#include <stdbool.h>

#include "lib/session/session_device.h"

/* Opens devices even if their thresholds are all `never`. Used for measurements. */
void session_open_set_any(void);

/* Implements session_say_missing. */
void session_open_set_says_missing(void);

/* Returns true if devices are opened even if their thresholds are all `never`: either the options
 * name a device, or session_open_set_any was called. */
bool session_open_is_asked_for(void);

/* Returns true if kernels may be built for a CPU: session_open_is_asked_for, open:wait, or the
 * options or a user's profile give thresholds. Otherwise a CPU is used only if its kernels are
 * already built (gpu_cpu_is_built). */
bool session_open_may_build(void);

/* Begins to open the first device: in a new thread if this process may open a driver itself,
 * otherwise in the calling thread. That thread also begins to open the other devices. Returns false
 * if no thread can be started. Call it once, and once more in a child of fork. */
bool session_open_begin(void);

/* Does the same as session_open_begin for a device that the caller has already opened. */
bool session_open_adopted(const struct gpu_device *dev);

#endif
