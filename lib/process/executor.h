/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device.  A driver that does not return holds up this thread alone, and
 * the program goes on.  Drivers find a large stack and no signals, and change no state of the
 * program's threads. */
#ifndef MPGPU_EXECUTOR_H
#define MPGPU_EXECUTOR_H

#include <stdbool.h>

#include "lib/process/event.h"

struct executor;

/* Starts one; it never ends.  NULL where there can be none. */
struct executor *executor_start(void);

/* Whether the caller is such a thread. */
bool executor_is_here(void);

/* Give it a function to call.  It must be idle: before the first post, or after executor_wait has
 * returned true; or about to be, where its function has said so as the last it did. */
void executor_post(struct executor *e, void (*function)(void *), void *argument);

/* Wait until it is idle, at most so many seconds after this call or after its last progress (0: for
 * ever).  Ten times as long while that thread builds a program of kernels.  Time in which the
 * process was stopped does not count.  True if it is.  Signal handlers run meanwhile as
 * signal_guard_let_pass says; false, too, where that returns false. */
bool executor_wait(struct executor *e, double seconds);

/* The number of the latest job, and the same wait for that one: others may come behind it. */
unsigned executor_posted(struct executor *e);
bool executor_wait_for_job(struct executor *e, unsigned job, double seconds);

/* The same wait until that thread has brought an event's count to `value`. */
bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds);

/* What another process sees of threads that work for it. */
struct executor_watch {
    atomic_uint progress; /* grows with theirs */
    atomic_uint building; /* how many build a program of kernels */
};

/* The same wait; another process, which waits for the caller, sees the progress in *shown. */
bool executor_wait_shown(struct executor *e, struct event *event, unsigned value, double seconds,
                         struct executor_watch *shown);

/* The patience of a wait for what another process does: *watch tells its progress. */
struct executor_patience {
    struct executor *e; /* or NULL, for a wait for a thread of this process: */
    const struct executor_watch *far;
    unsigned progress;           /* of `far` at the last look, */
    int64_t last;                /* and when it grew */
    int64_t start, looked, most; /* nanoseconds; EVENT_FOREVER: any time */
};

/* Begins a wait of at most so many seconds without progress, as executor_wait counts them. */
struct executor_patience executor_patience_begin(const struct executor_watch *watch,
                                                 double seconds);

/* Returns true if they are over.  Call it every few milliseconds. */
bool executor_patience_is_over(struct executor_patience *p);

/* The same wait for an event that another process brings.  Ends, with false, if is_lost returns
 * true. */
bool executor_wait_far(const struct executor_watch *watch, bool (*is_lost)(void),
                       struct event *event, unsigned value, double seconds);

/* Called by such a thread between steps that may take long, such as builds: it makes progress. */
void executor_progress(void);

/* From here on the calling thread tells its progress there, too; NULL: no longer. */
void executor_set_watch(struct executor_watch *watch);

/* Grows while any of them makes progress, and while a thread waits for one: that thread gives the
 * device up itself where it must. */
unsigned executor_progress_count(void);

/* For how many seconds such a thread spins for its next job, and a waiting thread for the answer,
 * before they sleep: for devices that answer soon and need no CPU for it. */
void executor_set_spin(double jobs, double answers);

/* The latter, in nanoseconds, as often as the calling thread wants it. */
int64_t executor_spin_ns(void);

/* How often from here on: 1 unless this was called.  What it was before. */
unsigned executor_spin_times(unsigned times);

#endif
