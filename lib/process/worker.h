/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads of our own: they take no signals, and have the stack that drivers need for
 * compiling, which a program's threads may not have, and the default floating-point environment. */
#ifndef MPGPU_WORKER_H
#define MPGPU_WORKER_H

#include <pthread.h>

#include "lib/base/unsanitized.h"

/* Their name, which the threads of drivers inherit; no program's. */
#define WORKER_NAME "mpgpu: device"

/* A new thread that runs a function, to be joined or detached; 0 if there can't be
 * one. */
int worker_thread(pthread_t *thread, void (*function)(void *), void *argument);

/* Run a function in a new detached thread; 0 if there can't be one. */
int worker_start(void (*function)(void *), void *argument);

/* Is this the name of a thread of ours, or of a driver's?  And is the caller one?  The latter may
 * be asked as early as is UNSANITIZED: by what a sanitizer calls when it is only beginning. */
int worker_has_name(const char *name);
int worker_is_here(void);

#endif
