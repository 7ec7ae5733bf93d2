/* SPDX-License-Identifier: LGPL-3.0-or-later
 * This library's threads. They take no signals, and have the default floating-point environment and
 * the large stack that a driver's compiler needs. */
#ifndef MPGPU_WORKER_H
#define MPGPU_WORKER_H

#include <stdbool.h>

#include "lib/base/unsanitized.h"

/* The name of this library's threads. Threads of a driver inherit the name; no thread of a program
 * has it. */
#define WORKER_NAME "mpgpu: device"

/* Calls a function in a new detached thread. Returns false if no thread can be started. */
bool worker_start(void (*function)(void *), void *argument);

/* Returns true if this is the name of a thread of this library or of a driver. */
bool worker_has_name(const char *name);

/* Returns true if the calling thread is one of these. UNSANITIZED. */
bool worker_is_here(void);

#endif
