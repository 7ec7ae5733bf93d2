/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The one thread that calls the device.  A driver that does not come back holds up
 * this thread alone, the program goes on; and drivers find a large stack, no signals,
 * and no state of the program's threads to change. */
#ifndef MPGPU_EXECUTOR_H
#define MPGPU_EXECUTOR_H

/* Make the thread; once.  0 if there can't be one. */
int executor_start(void);

/* Whether the caller is that thread. */
int executor_is_here(void);

/* Give it a function to call; only when it has nothing to do: before the first post,
 * or after executor_wait has said so.  The caller sees to that. */
void executor_post(void (*function)(void *), void *argument);

/* Wait until it has nothing to do, at most so many seconds from now or from when it last
 * got on (0: for ever).  Nonzero if that was so. */
int executor_wait(double seconds);

/* It gets on: called by its work between steps that may take long, as a build does. */
void executor_gets_on(void);

/* Seconds that it and who waits for it watch before they sleep: for devices whose
 * answer comes in microseconds, and that need no CPU for it. */
void executor_watch(double seconds);

#endif
