/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Executors: threads that call the device. If a driver call does not return, only the executor is
 * stuck, and the program continues. An executor has a large stack for drivers and takes no signals.
 * Drivers cannot change the state of the program's threads. */
#ifndef MPGPU_EXECUTOR_H
#define MPGPU_EXECUTOR_H

#include <stdbool.h>

#include "lib/process/event.h"

struct executor;

/* Starts an executor, a thread that never ends. Returns NULL if no thread can be started. */
struct executor *executor_start(void);

/* Returns true if the calling thread is an executor. */
bool executor_is_here(void);

/* Makes the executor call function(argument). The executor must be idle: this is its first call, or
 * executor_wait has returned true. It need not be idle if its present function has reported that it
 * only has to return. */
void executor_post(struct executor *e, void (*function)(void *), void *argument);

/* Waits until the executor is idle, and returns true. Returns false if the executor has made no
 * progress for `seconds` seconds since this call; 0 means no limit. While the executor builds
 * kernels, the limit is ten times as long. Time in which the process was stopped does not count.
 * Signal handlers run during the wait as in signal_guard_let_pass; if that returns false, this
 * function also does. */
bool executor_wait(struct executor *e, double seconds);

/* executor_posted returns the number of the last posted function. executor_wait_for_job waits like
 * executor_wait, but for the end of the function with this number; later functions may already be
 * posted. */
unsigned executor_posted(struct executor *e);
bool executor_wait_for_job(struct executor *e, unsigned job, double seconds);

/* Does the same as executor_wait, but waits until the executor has raised the event's count to
 * `value`. */
bool executor_wait_for(struct executor *e, struct event *event, unsigned value, double seconds);

/* Shared memory in which threads report progress to the process for which they work. */
struct executor_watch {
    atomic_uint progress; /* grows whenever one of the threads makes progress */
    atomic_uint building; /* count of threads that are building kernels */
};

/* Does the same as executor_wait_for, in a thread that works for another process: also reports the
 * executor's progress to that process in *shown. */
bool executor_wait_shown(struct executor *e, struct event *event, unsigned value, double seconds,
                         struct executor_watch *shown);

/* The time limit of a wait for another process. The wait ends when that process has made no
 * progress for this time. */
struct executor_patience {
    struct executor *e; /* if not NULL, the wait is for this executor of this process */
    const struct executor_watch *far;
    unsigned progress; /* value of far->progress when it was last read */
    int64_t last;      /* time at which far->progress last grew */
    /* start: begin of the wait; looked: time of the last check; most: time limit in nanoseconds,
     * EVENT_FOREVER for none */
    int64_t start, looked, most;
};

/* Begins a wait of at most `seconds` seconds without progress of the process that writes *watch.
 * Time is counted as in executor_wait. */
struct executor_patience executor_patience_begin(const struct executor_watch *watch,
                                                 double seconds);

/* Returns true if the time limit is exceeded. Call it every few milliseconds. */
bool executor_patience_is_over(struct executor_patience *p);

/* Does the same as executor_wait_for, for an event that another process posts. Also returns false
 * if is_lost() returns true, which means that the other process has ended. */
bool executor_wait_far(const struct executor_watch *watch, bool (*is_lost)(void),
                       struct event *event, unsigned value, double seconds);

/* Reports that the calling thread has made progress. Executors call it between steps that may take
 * long, such as builds of kernels. */
void executor_progress(void);

/* Makes the calling thread also report its progress in *watch, or no longer if `watch` is NULL. */
void executor_set_watch(struct executor_watch *watch);

/* Returns a count that grows while any executor makes progress, and while a thread waits for an
 * executor. Such a thread has a time limit of its own, so no watchdog needs to act for it. */
unsigned executor_progress_count(void);

/* Sets for how many seconds threads spin before they sleep. `jobs`: for an executor that waits for
 * its next function. `answers`: for a thread that waits for an executor. Call it if the device
 * answers quickly and does not compute on the CPU. */
void executor_set_spin(double jobs, double answers);

/* Returns how many nanoseconds the calling thread spins while it waits for an executor. This is the
 * time that executor_set_spin has set, multiplied by the calling thread's factor
 * (executor_spin_times). */
int64_t executor_spin_ns(void);

/* Sets the factor by which the calling thread multiplies its spin time while it waits for an
 * executor. The factor is 1 at first. Returns the previous factor. */
unsigned executor_spin_times(unsigned times);

#endif
