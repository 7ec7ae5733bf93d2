/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device.  A driver that does not come back holds up this
 * thread alone, the program goes on; and drivers find a large stack, no signals, and no
 * state of the program's threads to change. */
#ifndef MPGPU_EXECUTOR_H
#define MPGPU_EXECUTOR_H

#include <stdbool.h>

struct executor;

/* Make one, for good.  NULL if there can't be one. */
struct executor *executor_start(void);

/* Whether the caller is such a thread. */
bool executor_is_here(void);

/* Give it a function to call; only when it has nothing to do: before the first post,
 * or after executor_wait has said so.  The caller sees to that. */
void executor_post(struct executor *e, void (*function)(void *), void *argument);

/* Wait until it has nothing to do, at most so many seconds from now or from when it last
 * got on (0: for ever).  Nonzero if that was so. */
bool executor_wait(struct executor *e, double seconds);

/* The caller, if it is such a thread, gets on: called by its work between steps that may
 * take long, as a build does. */
void executor_gets_on(void);

/* Grows while a work of any of them gets on, or somebody who would know what to do waits for it. */
unsigned executor_signs(void);

/* For how many seconds such a thread spins for its next job, and a waiting thread for the answer,
 * before they sleep: for devices that answer soon and need no CPU for it. */
void executor_set_spin(double jobs, double answers);

#endif
