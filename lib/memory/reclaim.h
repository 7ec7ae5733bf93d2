/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns the pool's idle memory to the system. */
#ifndef MPGPU_RECLAIM_H
#define MPGPU_RECLAIM_H

/* Have the thread; where there can't be one, memory stays.  Any number of times. */
void reclaim_start(void);

/* Return what has been free for so many seconds. */
void reclaim_purge(double seconds);

#endif
