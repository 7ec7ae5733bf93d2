/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between lib/session/session.c, which knows the state of the device, and
 * lib/session/session_run.c. */
#ifndef MPGPU_SESSION_STATE_H
#define MPGPU_SESSION_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/session/session.h"

/* session_ready without the signal guard. */
enum outcome session_question(void);

/* May a stream be used that was just taken? */
bool session_is_open(void);

/* Is there a device, in use or left alone, that can be asked for what lies on it? */
bool session_answers(void);

/* No operation uses the device any more. */
void session_leave_alone(const char *why);

/* The same where a stream's thread has not come back in time, and may never: no memory of
 * the program's is touched from here on should it come back nevertheless. */
void session_abandon(void);

/* Wait for at most so many seconds until no thread is inside the driver, and keep others out until
 * session_release_all; false if that took longer. */
bool session_acquire_all(int seconds);
void session_release_all(void);

/* After an operation of this context that failed: nothing of it is under way any more, and the
 * fault is counted; or the device is left alone.  Why it was not done. */
enum outcome session_end_badly(struct context *s, enum gpu_status status);

/* Unlock a page-locked segment of the pool, in a thread that calls the device; false where it
 * cannot be asked.  For lib/memory/reclaim.h. */
bool session_unlock_segment(size_t segment);

#endif
