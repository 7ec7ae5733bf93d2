/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that calls the device. If a driver does not return, only this thread is stuck, and the
 * program continues. Drivers get a large stack and no signals, and cannot change the state of the
 * program's threads. */
#ifndef MPGPU_EXECUTOR_H
#define MPGPU_EXECUTOR_H

#include <stdbool.h>

#include "lib/process/event.h"

struct executor;

/* Starts an executor, which never ends. Returns NULL if no thread can be started. */
struct executor *executor_start(void);

/* Returns true if the calling thread is an executor. */
bool executor_is_here(void);

/* Gives the executor a function to call. The executor must be idle: before the first post, or after
 * executor_wait has returned true. It may also be about to be idle, if its function has reported so
 * in its last step. */
void executor_post(struct executor *e, void (*function)(void *), void *argument);

/* Waits until the executor is idle. Waits at most `seconds` after this call or after the executor's
 * last progress (0: no limit), and ten times as long while the executor builds kernels. Time in
 * which the process was stopped does not count.
 * Returns true if it is idle. Signal handlers run during the wait as in signal_guard_let_pass;
 * returns false if that returns false. */
bool executor_wait(struct executor *e, double seconds);

/* executor_posted returns the number of the latest job. executor_wait_for_job waits as
 * executor_wait does, for this job only: later jobs may follow it. */
unsigned executor_posted(struct executor *e);
bool executor_wait_for_job(struct executor *e, unsigned job, double seconds);

/* Waits as executor_wait does, until the executor has raised an event's count to `value`. */
bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds);

/* Progress of threads that work for another process, as that process sees it. */
struct executor_watch {
    atomic_uint progress; /* grows with their progress */
    atomic_uint building; /* count of threads that build kernels */
};

/* As executor_wait_for, for a caller that another process waits for: shows that process the
 * progress in *shown. */
bool executor_wait_shown(struct executor *e, struct event *event, unsigned value, double seconds,
                         struct executor_watch *shown);

/* The patience of a wait for another process, whose progress is in *far. */
struct executor_patience {
    struct executor *e; /* a thread of this process, or NULL */
    const struct executor_watch *far;
    unsigned progress;           /* of `far` at the last look */
    int64_t last;                /* when it last grew */
    int64_t start, looked, most; /* nanoseconds; EVENT_FOREVER: no limit */
};

/* Begins a wait of at most `seconds` without progress, counted as in executor_wait. */
struct executor_patience executor_patience_begin(const struct executor_watch *watch,
                                                 double seconds);

/* Returns true if the time is used up. Call it every few milliseconds. */
bool executor_patience_is_over(struct executor_patience *p);

/* As executor_wait_for, for an event that another process posts. Returns false if is_lost returns
 * true. */
bool executor_wait_far(const struct executor_watch *watch, bool (*is_lost)(void),
                       struct event *event, unsigned value, double seconds);

/* Reports progress. Called in an executor between steps that may take long, such as builds. */
void executor_progress(void);

/* Makes the calling thread also report its progress in *watch; NULL: no longer. */
void executor_set_watch(struct executor_watch *watch);

/* Returns a count that grows while any executor makes progress, and while a thread waits for one. A
 * thread that waits for an executor abandons the device itself when its time is used up. */
unsigned executor_progress_count(void);

/* Sets the spin times before sleeping, in seconds: `jobs` of an executor for its next job,
 * `answers` of a waiting thread. For devices that answer quickly and need no CPU. */
void executor_set_spin(double jobs, double answers);

/* Returns the latter in nanoseconds, times executor_spin_times of the calling thread. */
int64_t executor_spin_ns(void);

/* Sets the calling thread's factor, initially 1; returns the previous one. */
unsigned executor_spin_times(unsigned times);

#endif
