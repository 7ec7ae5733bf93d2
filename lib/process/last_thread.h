/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Ends a process whose main thread has ended by pthread_exit, when the program's other threads have
 * ended too. */
#ifndef MPGPU_LAST_THREAD_H
#define MPGPU_LAST_THREAD_H

/* Call it once, when the main thread has ended. A process normally ends with its last thread, but
 * threads of this library or of a driver would keep it alive. When all of the program's threads
 * have ended, a thread of this library calls before_exit() and exit(0). */
void last_thread_watch(void (*before_exit)(void));

#endif
