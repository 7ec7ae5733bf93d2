/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to lib/session/session.c, which knows why a call cannot run, and
 * lib/session/session_run.c. */
#ifndef MPGPU_SESSION_QUESTION_H
#define MPGPU_SESSION_QUESTION_H

#include "lib/base/outcome.h"

/* As session_ready, without the signal guard. */
enum outcome session_question(void);

#endif
