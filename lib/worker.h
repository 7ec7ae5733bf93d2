/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads of our own: they take no signals, and have the stack that drivers need for
 * compiling, which a program's threads may not have. */
#ifndef MPGPU_WORKER_H
#define MPGPU_WORKER_H

#include <pthread.h>

/* Their name, which the threads of drivers inherit (lib/last.c); no program's. */
#define WORKER_NAME "mpgpu: device"

/* A new thread that runs a function, to be joined or detached; 0 if there can't be
 * one. */
int worker_thread(pthread_t *thread, void (*function)(void *), void *argument);

/* Run a function in a new detached thread; 0 if there can't be one. */
int worker_start(void (*function)(void *), void *argument);

#endif
