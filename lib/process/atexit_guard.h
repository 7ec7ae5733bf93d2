/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the libraries of a driver have registered for the end of the program. */
#ifndef MPGPU_ATEXIT_GUARD_H
#define MPGPU_ATEXIT_GUARD_H

/* A thread is inside a driver and nobody waits for it: from now on this process runs no handler of
 * a driver. */
void atexit_guard_forbid(void);

/* Run this handler before all others that have been registered so far.  Once. */
void atexit_guard_run_first(void (*handler)(void *));

/* Again, after drivers have been loaded.  Does nothing before atexit_guard_run_first. */
void atexit_guard_renew(void);

/* The handler runs: it is not registered again. */
void atexit_guard_end(void);

#endif
