/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the devices that the options name, each in the thread of its first stream. */
#ifndef MPGPU_SESSION_OPEN_H
#define MPGPU_SESSION_OPEN_H

#include <stdbool.h>

#include "lib/session/session_device.h"

/* Makes devices open whatever their thresholds. For measurements. */
void session_open_set_any(void);

/* Implements session_say_missing. */
void session_open_set_says_missing(void);

/* Returns true if devices are opened whatever their thresholds: the options name the device, or it
 * is for measurements. */
bool session_open_is_asked_for(void);

/* Returns true if kernels may be built for a CPU: the options ask for it, also by thresholds, or
 * wait for it. A CPU's built-in thresholds count only if its kernels are already built
 * (gpu_cpu_is_built). */
bool session_open_may_build(void);

/* Opens a server's device in the calling thread.  Opens a device of this process in a thread of its
 * own, which then looks for others. Returns false if no thread can be started. Call it once, and
 * once more in a child of fork. */
bool session_open_begin(void);

/* As session_open_begin, for a device that is already open. */
bool session_open_adopted(const struct gpu_device *dev);

#endif
