/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A counter that threads wait for (lib/process/backoff.h).
 *
 * A thread sleeps in the futex call itself, since the C library's waits are cancellation points.
 * glibc before 2.41 lets a cancellation act there that was sent while the thread took it at any
 * time, even if cancellation has been disabled since: our locks would stay locked.
 *
 * Times are whole nanoseconds, so that a wait leaves the floating-point environment alone. */
#ifndef MPGPU_EVENT_H
#define MPGPU_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero at first.  It may lie in memory of several processes. */
struct event {
    atomic_uint count, sleepers;
};

#define EVENT_FOREVER ((int64_t)1 << 60) /* nanoseconds: 36 years */

/* The monotonic clock. */
int64_t event_clock(void);

/* Seconds as nanoseconds, from 0 to EVENT_FOREVER. */
int64_t event_nanoseconds(double seconds);

static inline unsigned event_count(struct event *e) {
    return atomic_load(&e->count);
}

static inline bool event_has_reached(struct event *e, unsigned value) {
    return (int)(atomic_load_explicit(&e->count, memory_order_acquire) - value) >= 0;
}

/* Adds one, and wakes the threads that sleep.  Any thread. */
void event_post(struct event *e);

/* Sleep until the count has reached `value`, at most for so many nanoseconds.  True if it has. */
bool event_sleep(struct event *e, unsigned value, int64_t ns);

#endif
