/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The opening of the devices that the options mean, each in the thread of its first stream. */
#ifndef MPGPU_SESSION_OPEN_H
#define MPGPU_SESSION_OPEN_H

#include <stdbool.h>

#include "lib/session/session_device.h"

/* Open devices whatever their thresholds: for measurements. */
void session_open_set_any(void);

/* session_say_missing. */
void session_open_set_says_missing(void);

/* A device that is asked for by its name, or for measurements, is opened whatever its thresholds.
 */
bool session_open_is_asked_for(void);

/* May programs be built for a CPU?  Where it is asked for, by thresholds too, or waited for.  Its
 * built-in thresholds count only where they have been (gpu_cpu_is_built). */
bool session_open_may_build(void);

/* Opens a device of a server in the calling thread, or begins to open one of this process in a
 * thread of its own; that thread looks for others.  Returns false where there can be no thread.
 * Once, by one thread; once more in a child of fork. */
bool session_open_begin(void);

/* The same for a device that is open. */
bool session_open_adopted(const struct gpu_device *dev);

#endif
