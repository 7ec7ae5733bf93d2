/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that the calling thread is in a signal handler. The signal may have interrupted malloc.
 * If code in the handler then allocates memory, it could wait for ever for a lock that its own
 * thread holds. */
#ifndef MPGPU_INTERRUPTED_H
#define MPGPU_INTERRUPTED_H

#include <stdbool.h>

/* Returns true if the stack has a signal frame. Returns false if there is none, or if it cannot be
 * found because code without unwind tables is above it. Takes no lock, allocates no memory, and
 * needs 0.1 us for each frame. */
bool interrupted(void);

#endif
