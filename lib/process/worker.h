/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts this library's threads. They take no signals, have the default floating-point environment,
 * and have the large stack that a driver's compiler needs. */
#ifndef MPGPU_WORKER_H
#define MPGPU_WORKER_H

#include <stdbool.h>

#include "lib/base/unsanitized.h"

/* The name of this library's threads. Threads of a driver inherit it; no thread of a program has
 * it. */
#define WORKER_NAME "mpgpu: device"

/* Calls function(argument) in a new detached thread. Returns false if no thread can be started. */
bool worker_start(void (*function)(void *), void *argument);

/* Returns true if a thread with this name belongs to this library or to a driver. */
bool worker_has_name(const char *name);

/* Returns true if the calling thread belongs to this library or to a driver. May be called before
 * sanitizers are initialised (lib/base/unsanitized.h). */
bool worker_is_here(void);

#endif
