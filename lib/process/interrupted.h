/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that the calling thread is in a signal handler. The signal may have interrupted malloc.
 * Code in the handler that allocates memory could then wait for ever for a lock of its own
 * thread. */
#ifndef MPGPU_INTERRUPTED_H
#define MPGPU_INTERRUPTED_H

#include <stdbool.h>

/* Returns true if the stack has a signal frame. Returns false if there is none, or if code without
 * unwind tables hides it. Takes no lock, allocates no memory, and needs 0.1 us for each frame. */
bool interrupted(void);

#endif
