/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A function of lib/session/session.c, which knows whether a device can be used. Private to
 * session.c and lib/session/session_run.c. */
#ifndef MPGPU_SESSION_QUESTION_H
#define MPGPU_SESSION_QUESTION_H

#include "lib/base/outcome.h"

/* Returns what session_ready returns. Call it between signal_guard_begin and signal_guard_end. */
enum outcome session_question(void);

#endif
