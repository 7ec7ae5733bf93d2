/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whether this thread is in a signal handler.  The signal may have come anywhere, also inside
 * malloc: what allocates memory there could wait for ever for a lock that this thread holds. */
#ifndef MPGPU_INTERRUPTED_H
#define MPGPU_INTERRUPTED_H

#include <stdbool.h>

/* True if the stack has the frame of a signal.  False also where the stack cannot be unwound that
 * far, through code without tables.  Takes no lock and no memory; 0.1 us a frame. */
bool interrupted(void);

#endif
