/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects that this thread is in a signal handler. The signal may have interrupted malloc: code
 * that allocates memory in the handler could wait for ever for a lock that this thread holds. */
#ifndef MPGPU_INTERRUPTED_H
#define MPGPU_INTERRUPTED_H

#include <stdbool.h>

/* Returns true if the stack has a signal frame. Returns false also if the stack cannot be unwound
 * that far, through code without unwind tables. Takes no lock and no memory; 0.1 us a frame. */
bool interrupted(void);

#endif
