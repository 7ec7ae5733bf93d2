/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Counts the threads that make calls, and detects that there is only one. */
#ifndef MPGPU_ACTIVE_THREADS_H
#define MPGPU_ACTIVE_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The threads that make calls. All zero at first. Each of these threads writes to the struct about
 * once a millisecond at most. */
struct active_threads {
    _Atomic uintptr_t last;   /* the thread that made a recent call */
    _Atomic int64_t switched; /* when `last` changed */
    _Atomic int64_t window;   /* the current time window of 17 ms */
    atomic_int now,
        before;        /* count of threads that made calls in `window`, and in the one before */
    atomic_int inside; /* threads in long calls, which make too few calls to be counted */
};

/* Reports a call of thread `me`, not 0. Returns true if no other thread has made one in the last 10
 * ms. */
bool active_threads_is_one(struct active_threads *c, uintptr_t me, int64_t now);

/* A call that takes at least this many nanoseconds is long: half a window. */
enum { ACTIVE_THREADS_LONG = 1 << 23 };

/* Counts a thread as inside a long call, until active_threads_leave. */
void active_threads_enter(struct active_threads *c);
void active_threads_leave(struct active_threads *c);

/* Returns how many threads make calls, including the calling thread. *seen is the time window in
 * which the calling thread was last counted: a variable of this thread, 0 at first. */
int active_threads_count(struct active_threads *c, int64_t *seen, int64_t now);

#endif
