/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns the pool's idle memory to the system. */
#ifndef MPGPU_RECLAIM_H
#define MPGPU_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the function that unlocks a page-locked segment, in a thread that calls the device. It
 * returns false if the device cannot be asked; such a segment stays. Any thread. */
void reclaim_set_unlock(bool (*unlock)(size_t segment));

/* Starts the thread, once; if that fails, memory is never returned. Any number of calls. */
void reclaim_start(void);

/* Returns memory that has been idle for `seconds`. */
void reclaim_purge(double seconds);

#endif
