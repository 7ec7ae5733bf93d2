/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between lib/session/session.c, which knows what stands against a call, and
 * lib/session/session_run.c. */
#ifndef MPGPU_SESSION_QUESTION_H
#define MPGPU_SESSION_QUESTION_H

#include "lib/base/outcome.h"

/* session_ready without the signal guard. */
enum outcome session_question(void);

#endif
