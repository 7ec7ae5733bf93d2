/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a process whose main thread has ended by pthread_exit. */
#ifndef MPGPU_LAST_THREAD_H
#define MPGPU_LAST_THREAD_H

/* Call this once, when the main thread has ended. A process ends with its last thread, and threads
 * of this library or of a driver would keep it alive. As soon as all of the program's threads have
 * ended, a thread of this library calls before_exit() and exit(0). */
void last_thread_watch(void (*before_exit)(void));

#endif
