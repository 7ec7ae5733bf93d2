/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A process that was stopped, as by Ctrl-Z, or whose machine has slept: meanwhile no thread could
 * make progress. */
#ifndef MPGPU_STOPPED_H
#define MPGPU_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

/* Was it since *looked?  A thread asks in a wait, each `step` nanoseconds: it was if that has taken
 * far longer.  *looked is now then, by event_clock; 0 before the first look. */
bool stopped_since(int64_t *looked, int64_t step);

#endif
