/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Counters that threads wait for (lib/process/backoff.h). A thread sleeps in the futex call itself,
 * because the C library's waits are cancellation points. In glibc before 2.41, an earlier
 * asynchronous cancellation acts at such a point even if cancellation is disabled. The thread would
 * then end with this library's locks locked. Times are whole nanoseconds, so that a wait does not
 * change the floating-point environment. */
#ifndef MPGPU_EVENT_H
#define MPGPU_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A counter. It must be all zero at first, and may be in memory that several processes map. */
struct event {
    atomic_uint count, sleepers;
};

#define EVENT_FOREVER ((int64_t)1 << 60) /* nanoseconds: 36 years */

/* Returns the time of the monotonic clock in nanoseconds. */
int64_t event_clock(void);

/* Converts seconds to nanoseconds. The result is from 0 to EVENT_FOREVER. */
int64_t event_nanoseconds(double seconds);

static inline unsigned event_count(struct event *e) {
    return atomic_load(&e->count);
}

static inline bool event_has_reached(struct event *e, unsigned value) {
    return (int)(atomic_load_explicit(&e->count, memory_order_acquire) - value) >= 0;
}

/* Adds one to the count, and wakes the threads that sleep in event_sleep. Any thread may call it.
 */
void event_post(struct event *e);

/* Sleeps until the count has reached `value`, for at most `ns` nanoseconds. Returns true if the
 * count has reached it. */
bool event_sleep(struct event *e, unsigned value, int64_t ns);

#endif
