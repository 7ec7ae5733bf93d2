/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns the pool's idle memory to the system. */
#ifndef MPGPU_RECLAIM_H
#define MPGPU_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>

/* How a page-locked segment is unlocked: in a thread that calls the device.  False where the device
 * cannot be asked; such a segment stays.  Any thread. */
void reclaim_set_unlock(bool (*unlock)(size_t segment));

/* Start the thread, once; where that fails, memory stays.  Any number of times. */
void reclaim_start(void);

/* Return what has been idle for so many seconds. */
void reclaim_purge(double seconds);

#endif
