/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork: after which point the device is left alone. */
#ifndef MPGPU_SHUTDOWN_H
#define MPGPU_SHUTDOWN_H

#include <stdbool.h>

/* Call this once, before this library starts any thread or loads a driver.
 *
 * `acquire` waits at most `seconds` until no thread is inside a driver. If it returns true, it
 * keeps all threads out until `release`. `is_inside` returns whether the calling thread is inside a
 * driver itself.
 *
 * At the end of the program, shutdown_has_begun becomes true, and then `acquire` is called. If that
 * fails, no exit handler of a driver is run (lib/process/atexit_guard.h). fork calls `acquire` too,
 * so that the child inherits no locked lock of the dynamic loader or of the allocator. In the
 * child, `renew` is called instead of `release`, with the result of `acquire`. */
void shutdown_prepare(bool (*acquire)(int seconds), void (*release)(void), bool (*is_inside)(void),
                      void (*renew)(bool was_acquired));

/* Returns true after that call. */
bool shutdown_is_prepared(void);

/* For fork handlers that run after this library's: returns true if `acquire` has succeeded. */
bool shutdown_fork_holds(void);

/* Call this when the program calls exit, before any exit handler runs. */
void shutdown_begin(void);

/* Returns true if the program is ending. */
bool shutdown_has_begun(void);

/* For a child of fork if another thread of the parent called shutdown_prepare during the fork:
 * handlers registered then do not run in that child. */
void shutdown_set_in_child(void);

/* Returns true in a child of fork whose parent had called shutdown_prepare, and after
 * shutdown_set_in_child. */
bool shutdown_was_forked(void);

/* Returns true if shutdown_was_forked does, and in a child made without the C library's fork
 * (lib/base/process.h). */
bool shutdown_is_in_child(void);

#endif
