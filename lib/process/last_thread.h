/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a process whose main thread has ended by pthread_exit. */
#ifndef MPGPU_LAST_THREAD_H
#define MPGPU_LAST_THREAD_H

/* A process ends with its last thread, and threads of ours or of a driver would keep it alive.
 * From now on a thread of ours calls before_exit() and exit(0) as soon as the program's threads
 * have all ended.  Call this once, when the main thread has ended. */
void last_thread_watch(void (*before_exit)(void));

#endif
