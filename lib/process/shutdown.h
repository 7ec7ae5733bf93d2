/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Stops all use of devices at the end of the program and during fork. */
#ifndef MPGPU_SHUTDOWN_H
#define MPGPU_SHUTDOWN_H

#include <stdbool.h>

/* Call it once, before this library starts a thread or loads a driver. The arguments are
 * functions:
 * - acquire: waits at most `seconds` until no thread is inside a driver. If it returns true, no
 *   thread can enter a driver until `release` is called.
 * - is_inside: returns true if the calling thread is inside a driver
 * - renew: called instead of `release` in a child of fork, with the return value of `acquire`
 *
 * At the end of the program, shutdown_has_begun becomes true, and `acquire` is called. If that
 * fails, no exit handler of a driver runs (lib/process/atexit_guard.h).
 *
 * fork also calls `acquire`, because the child must not inherit locked locks of the dynamic
 * loader or the allocator. */
void shutdown_prepare(bool (*acquire)(int seconds), void (*release)(void), bool (*is_inside)(void),
                      void (*renew)(bool was_acquired));

/* Returns true once shutdown_prepare has been called. */
bool shutdown_is_prepared(void);

/* Returns true during a fork if `acquire` (shutdown_prepare) has succeeded. Used by fork handlers
 * that run after those of shutdown_prepare. */
bool shutdown_fork_has_acquired(void);

/* Call it when the program calls exit, before any exit handler runs. */
void shutdown_begin(void);

/* Returns true if the program is ending. */
bool shutdown_has_begun(void);

/* Makes shutdown_was_forked return true. Call it in a child of fork if another thread of the parent
 * called shutdown_prepare during the fork: the handlers of shutdown_prepare do not run in that
 * child. */
void shutdown_set_in_child(void);

/* Returns true in a child of fork whose parent had called shutdown_prepare, and after
 * shutdown_set_in_child. */
bool shutdown_was_forked(void);

/* Returns true if shutdown_was_forked returns true. Also returns true in a child that was made
 * without the C library's fork (lib/base/process.h). */
bool shutdown_is_in_child(void);

#endif
