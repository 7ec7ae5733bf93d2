/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads of our own that do parts of one job beside the calling thread, such as a device's share
 * each.  They are not those that call devices (lib/process/executor.h), which they wait for. */
#ifndef MPGPU_CREW_H
#define MPGPU_CREW_H

#include <stdbool.h>

enum { CREW_MOST = 16 };

/* work(job, i) for each i below `count`, at most CREW_MOST: the calling thread has 0.  Where
 * another thread's job has the crew, or no thread can be made, it has them all, one after another.
 * Signals wait, but those that end the program (lib/process/signal_guard.h). */
void crew_run(unsigned count, void (*work)(void *job, unsigned i), void *job);

/* The same at once: parts may wait for one another.  False, and nothing is done, where another
 * thread's job has the crew, or a part has no thread. */
bool crew_try(unsigned count, void (*work)(void *job, unsigned i), void *job);

#endif
