/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to lib/session/session.c, which knows whether a device can be used, and to
 * lib/session/session_run.c. */
#ifndef MPGPU_SESSION_QUESTION_H
#define MPGPU_SESSION_QUESTION_H

#include "lib/base/outcome.h"

/* Returns what session_ready returns. The caller must be inside a signal guard. */
enum outcome session_question(void);

#endif
