/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether the exit handlers of a driver's libraries run. */
#ifndef MPGPU_ATEXIT_GUARD_H
#define MPGPU_ATEXIT_GUARD_H

/* Forbids all exit handlers of drivers in this process. Call it if the program ends while a thread
 * is still inside a driver. */
void atexit_guard_forbid(void);

/* Registers a handler that runs before all exit handlers registered so far. Call it once. */
void atexit_guard_run_first(void (*handler)(void *));

/* Registers the handler of atexit_guard_run_first again, so that it also runs before handlers of
 * drivers that have been loaded since. Does nothing if there is no such handler. */
void atexit_guard_renew(void);

/* Call it in the handler of atexit_guard_run_first, so that the handler is not registered again. */
void atexit_guard_end(void);

#endif
