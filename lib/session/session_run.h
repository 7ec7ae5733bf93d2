/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to lib/session/session.c and lib/session/session_run.c. */
#ifndef MPGPU_SESSION_RUN_H
#define MPGPU_SESSION_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* Drops the job that a signal handler has left by longjmp. Call it when the calling thread makes
 * another call. Returns OUTCOME_BUSY if the thread is still in such a handler, which may return
 * to the job. */
enum outcome session_run_leave(void);

/* Returns true if the calling thread is in a signal handler that has interrupted the thread's
 * wait for a job. */
bool session_run_is_suspended(void);

/* Ends page-locking of a segment of the pool, in a thread that may call a device. Returns false
 * if no device can do it. For lib/memory/reclaim.h. */
bool session_unlock_segment(size_t segment);

#endif
