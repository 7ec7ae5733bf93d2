/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that the process was stopped, as by Ctrl-Z, or that the machine has slept: no thread
 * could make progress then. */
#ifndef MPGPU_STOPPED_H
#define MPGPU_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the process was stopped since *looked. A thread calls it every `step` nanoseconds
 * during a wait; it returns true if the interval was far longer. Sets *looked to now, by
 * event_clock; it must be 0 before the first call. */
bool stopped_since(int64_t *looked, int64_t step);

#endif
