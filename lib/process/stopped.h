/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that the process was stopped, as by Ctrl-Z, or that the machine has slept. No thread
 * could make progress during this time, so it must not count as a device's silence. */
#ifndef MPGPU_STOPPED_H
#define MPGPU_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the process was stopped since *looked. A waiting thread calls this function every
 * `step` nanoseconds, so a much longer interval between two calls means that the process was
 * stopped. Sets *looked to the current time by event_clock; *looked must be 0 before the first
 * call. */
bool stopped_since(int64_t *looked, int64_t step);

#endif
