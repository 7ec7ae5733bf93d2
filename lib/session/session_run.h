/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that lib/session/session.c and lib/session/session_run.c share. Private to these
 * files. */
#ifndef MPGPU_SESSION_RUN_H
#define MPGPU_SESSION_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* Ends the job that this thread has left by longjmp from a signal handler, if there is one. Call it
 * when the thread makes another call. Returns OUTCOME_BUSY if the thread is still in the handler,
 * which may return to the job. */
enum outcome session_run_leave(void);

/* Returns true if the calling thread is in a signal handler that has interrupted the thread's
 * wait for a job. */
bool session_run_is_suspended(void);

/* Unlocks a page-locked segment of the pool (the library's host memory for results), in a thread
 * that may call a device. Returns false if no device can do it. Used by lib/memory/reclaim.h. */
bool session_unlock_segment(size_t segment);

#endif
