/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Timers of processor time (setitimer), which a process keeps when it becomes another program. */
#ifndef MPGPU_TIMERS_H
#define MPGPU_TIMERS_H

/* Stops the timers, so that none of them ends mpgpu-run, which has no handler for their signals. */
void run_timers_stop(void);

/* Before the program: starts the timers that were inherited again, with the time that they had
 * left. A timer for which this process has a handler is a preloaded profiler's: it stays stopped,
 * since the handler ends here, and the profiler starts it in the program again. */
void run_timers_restore(void);

#endif
