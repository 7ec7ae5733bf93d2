/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns the pool's idle memory to the system. */
#ifndef MPGPU_KEEPER_H
#define MPGPU_KEEPER_H

/* Have the thread; where there can't be one, memory stays.  Any number of times. */
void keeper_start(void);

/* Return what has been free for so many seconds. */
void keeper_tidy(double seconds);

#endif
