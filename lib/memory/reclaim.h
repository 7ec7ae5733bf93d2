/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns idle memory of the pool (the library's host memory for results) to the
 * system. */
#ifndef MPGPU_RECLAIM_H
#define MPGPU_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>

/* Sets `unlock`, a function that unlocks a page-locked segment in a thread that may call the
 * device. It returns false if the device cannot be called; the segment then stays. Any thread may
 * call reclaim_set_unlock. */
void reclaim_set_unlock(bool (*unlock)(size_t segment));

/* Starts the thread that returns idle memory, unless it already runs. If that fails, memory is
 * never returned to the system. */
void reclaim_start(void);

/* Returns to the system the segments that have been idle for at least `seconds` seconds; ends at
 * one that cannot be unlocked. */
void reclaim_purge(double seconds);

#endif
