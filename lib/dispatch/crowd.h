/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Counts the threads that make calls, and detects that there is only one. */
#ifndef MPGPU_CROWD_H
#define MPGPU_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The threads that make calls. All zero at first. Each of them writes to it about once a
 * millisecond. */
struct crowd {
    _Atomic uintptr_t last;   /* the thread that made a recent call */
    _Atomic int64_t switched; /* when `last` changed */
    _Atomic int64_t window;   /* the current time window of 17 ms */
    atomic_int now, before;   /* threads in this window and in the previous one */
    atomic_int inside;        /* threads in long calls, which make too few calls to be counted */
};

/* Reports a call of thread `me`, not 0. Returns true if no other thread has made one in the last 10
 * ms. */
bool crowd_is_alone(struct crowd *c, uintptr_t me, int64_t now);

/* A call that takes at least this many nanoseconds is long: half a window. */
enum { CROWD_LONG = 1 << 23 };

/* Counts a thread as inside a long call, until crowd_leave. */
void crowd_enter(struct crowd *c);
void crowd_leave(struct crowd *c);

/* Returns how many threads make calls, including the calling thread. *seen is a variable of that
 * thread, 0 at first. */
int crowd_count(struct crowd *c, int64_t *seen, int64_t now);

#endif
