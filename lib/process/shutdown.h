/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork: when the device is no longer to be touched. */
#ifndef MPGPU_SHUTDOWN_H
#define MPGPU_SHUTDOWN_H

/* To be called before any thread of ours starts or a driver is loaded.  `hold` waits, at
 * most so many seconds, until nobody is inside a driver, and keeps all out until
 * `let_go` if it returns nonzero.  When the program ends, shutdown_now() turns true, and
 * then that is waited for, and if it was in vain, what drivers have registered for the end is not
 * run (lib/process/atexit_guard.h); fork waits for it too, so that the child does not inherit a
 * lock of the dynamic loader or of the allocator that nobody will open.  `inside` tells
 * whether the calling thread is inside itself. */
void shutdown_prepare(int (*hold)(int seconds), void (*let_go)(void), int (*inside)(void));

/* The program ends by exit: to be called before anything that is registered for that runs. */
void shutdown_begin(void);

/* Once more, after a handler of another's has been registered, or drivers have been loaded: they
 * run in reverse order, and ours has to run before all of them.  Does nothing before
 * shutdown_prepare. */
void shutdown_prepare_again(void);

/* Nonzero when the program is ending. */
int shutdown_now(void);

/* Nonzero in a child of fork whose parent had called shutdown_prepare, and in every child that is
 * not made by fork (lib/base/process.h). */
int shutdown_in_child(void);

#endif
