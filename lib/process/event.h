/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A counter that threads wait for (lib/process/backoff.h).
 *
 * A thread sleeps in the futex call itself, since the C library's waits are cancellation points. In
 * glibc before 2.41, a cancellation sent while the thread accepted it at any time acts at such a
 * point, even if cancellation has been disabled since. This library's locks would stay locked.
 *
 * Times are whole nanoseconds, so that a wait leaves the floating-point environment alone. */
#ifndef MPGPU_EVENT_H
#define MPGPU_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero at first. May be in memory shared by several processes. */
struct event {
    atomic_uint count, sleepers;
};

#define EVENT_FOREVER ((int64_t)1 << 60) /* nanoseconds: 36 years */

/* Returns the monotonic clock, in nanoseconds. */
int64_t event_clock(void);

/* Converts seconds to nanoseconds, from 0 to EVENT_FOREVER. */
int64_t event_nanoseconds(double seconds);

static inline unsigned event_count(struct event *e) {
    return atomic_load(&e->count);
}

static inline bool event_has_reached(struct event *e, unsigned value) {
    return (int)(atomic_load_explicit(&e->count, memory_order_acquire) - value) >= 0;
}

/* Adds one to the count, and wakes the threads that sleep. Any thread. */
void event_post(struct event *e);

/* Sleeps until the count has reached `value`, for at most `ns` nanoseconds. Returns true if it has.
 */
bool event_sleep(struct event *e, unsigned value, int64_t ns);

#endif
