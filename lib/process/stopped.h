/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that the process was stopped, for example by Ctrl-Z, or that the machine was suspended.
 * This time must not count towards a device's time limit. */
#ifndef MPGPU_STOPPED_H
#define MPGPU_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the process was stopped since *looked. Call it every `step` nanoseconds during a
 * wait: a much longer interval between two calls means that the process was stopped. Sets *looked
 * to the current time by event_clock; before the first call, *looked must be 0 or the time at which
 * the wait began. */
bool stopped_since(int64_t *looked, int64_t step);

#endif
