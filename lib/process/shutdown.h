/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork: from when on the device is left alone. */
#ifndef MPGPU_SHUTDOWN_H
#define MPGPU_SHUTDOWN_H

#include <stdbool.h>

/* Call this once, before any thread of ours starts or a driver is loaded.
 *
 * `acquire` waits at most so many seconds until no thread is inside a driver.  Where it returns
 * true, it keeps all threads out until `release`.  `is_inside` tells whether the calling thread is
 * inside a driver itself.
 *
 * At the end of the program shutdown_has_begun turns true, and then `acquire` is called.  Where it
 * fails, no handler of a driver is run (lib/process/atexit_guard.h).  fork calls `acquire` too, so
 * that the child inherits no lock of the dynamic loader or of the allocator.  A child calls `renew`
 * then, instead of `release`, and says whether `acquire` had succeeded. */
void shutdown_prepare(bool (*acquire)(int seconds), void (*release)(void), bool (*is_inside)(void),
                      void (*renew)(bool was_acquired));

/* Returns true after that call. */
bool shutdown_is_prepared(void);

/* For handlers that run before fork, behind ours: returns true if `acquire` has succeeded. */
bool shutdown_fork_holds(void);

/* The program calls exit.  Call this before any handler of exit runs. */
void shutdown_begin(void);

/* The program is ending. */
bool shutdown_has_begun(void);

/* In a child of fork whose parent has called shutdown_prepare in another thread meanwhile, which
 * does not hear of a fork that is under way. */
void shutdown_set_in_child(void);

/* This is a child of fork whose parent had called shutdown_prepare, or it was said to be. */
bool shutdown_was_forked(void);

/* This is a child of fork whose parent had called shutdown_prepare, or a child that was not made
 * by fork (lib/base/process.h). */
bool shutdown_is_in_child(void);

#endif
