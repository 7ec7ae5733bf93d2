/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between lib/session/session.c and lib/session/session_run.c. */
#ifndef MPGPU_SESSION_RUN_H
#define MPGPU_SESSION_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* The calling thread's next call: what a handler of its has left is given up.  OUTCOME_BUSY in such
 * a handler, which may yet return. */
enum outcome session_run_leave(void);

/* Is the calling thread in a handler that runs while its job is under way? */
bool session_run_is_loose(void);

/* Unlock a page-locked segment of the pool, in a thread that calls a device; false where none can
 * be asked.  For lib/memory/reclaim.h. */
bool session_unlock_segment(size_t segment);

#endif
