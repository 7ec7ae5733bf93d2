/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to lib/session/session.c and lib/session/session_run.c. */
#ifndef MPGPU_SESSION_RUN_H
#define MPGPU_SESSION_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* Call it at the calling thread's next call: abandons a job that a signal handler has left. Returns
 * OUTCOME_BUSY in such a handler, which may still return. */
enum outcome session_run_leave(void);

/* Returns true if the calling thread is in a signal handler that runs during its job. */
bool session_run_is_loose(void);

/* Unlocks a page-locked segment of the pool, in a thread that calls a device. Returns false if no
 * device can do it. For lib/memory/reclaim.h. */
bool session_unlock_segment(size_t segment);

#endif
