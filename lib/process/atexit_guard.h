/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Guards the exit handlers that a driver's libraries have registered. */
#ifndef MPGPU_ATEXIT_GUARD_H
#define MPGPU_ATEXIT_GUARD_H

/* Forbids all exit handlers of drivers in this process from now on: a thread is inside a driver,
 * and no thread waits for it. */
void atexit_guard_forbid(void);

/* Makes this handler run before all exit handlers registered so far. Call it once. */
void atexit_guard_run_first(void (*handler)(void *));

/* Registers the handler again, after drivers have been loaded. Does nothing before
 * atexit_guard_run_first. */
void atexit_guard_renew(void);

/* Call it when the handler runs: it is not registered again. */
void atexit_guard_end(void);

#endif
