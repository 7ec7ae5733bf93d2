/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads of our own.  They take no signals, and have the default floating-point environment and
 * the large stack that a driver's compiler needs. */
#ifndef MPGPU_WORKER_H
#define MPGPU_WORKER_H

#include <stdbool.h>

#include "lib/base/unsanitized.h"

/* Their name.  A driver's threads inherit it; no thread of a program has it. */
#define WORKER_NAME "mpgpu: device"

/* Run a function in a new detached thread; false where there can be none. */
bool worker_start(void (*function)(void *), void *argument);

/* Whether this is the name of a thread of ours, or of a driver's. */
bool worker_has_name(const char *name);

/* Whether the caller is one.  UNSANITIZED. */
bool worker_is_here(void);

#endif
