/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork: when the device is no longer to be touched. */
#ifndef MPGPU_LEAVING_H
#define MPGPU_LEAVING_H

#include <pthread.h>

/* To be called before any thread of ours starts or a driver is loaded.  Whoever
 * is inside a driver holds `busy`.  When the program ends, leaving_now() turns
 * true, and then `busy` is waited for, at most some seconds; fork waits for it
 * too, so that the child does not inherit a lock of the dynamic loader or of the
 * allocator that nobody will open.  `inside` tells whether the calling thread
 * holds it itself. */
void leaving_prepare(pthread_mutex_t *busy, int (*inside)(void));

/* Once more after drivers have been loaded: handlers run in reverse order, and
 * ours has to run before those of the drivers' libraries. */
void leaving_prepare_again(void);

/* Nonzero when the program is ending. */
int leaving_now(void);

/* Nonzero in a child of fork whose parent had called leaving_prepare. */
int leaving_in_child(void);

#endif
