/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Is one thread at work, or are there several, and how many? */
#ifndef MPGPU_CROWD_H
#define MPGPU_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero at first.  Threads that are at work write it about once a millisecond. */
struct crowd {
    _Atomic uintptr_t last;   /* a thread that has asked */
    _Atomic int64_t switched; /* when that was another than before */
    _Atomic int64_t window;   /* a time of 17 ms */
    atomic_int now, before;   /* threads of that time, and of the one before */
    atomic_int inside;        /* threads in long calls, which ask too seldom for that */
};

/* Thread `me`, not 0, makes a call.  Has no other made one in the last 10 ms? */
bool crowd_is_alone(struct crowd *c, uintptr_t me, int64_t now);

/* From here on a call is long, in nanoseconds: half of that time. */
enum { CROWD_LONG = 1 << 23 };

/* A thread is in a long call, until it leaves. */
void crowd_enter(struct crowd *c);
void crowd_leave(struct crowd *c);

/* How many threads make calls, this one of them; *seen is the thread's own, 0 at first. */
int crowd_count(struct crowd *c, int64_t *seen, int64_t now);

#endif
