/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A counter that threads wait for.
 *
 * A wait is the futex call itself and no function of the C library, since those are cancellation
 * points.  glibc before 2.41 lets a cancellation act there that was sent while the thread took it
 * at any time, even if cancellation has been disabled since: our locks would stay taken. Times are
 * whole nanoseconds, so that a wait leaves the floating-point environment alone. */
#ifndef MPGPU_EVENT_H
#define MPGPU_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

struct event {
    atomic_uint count, sleepers;
};

#define EVENT_EVER ((int64_t)1 << 60) /* nanoseconds: 36 years */

/* The monotonic clock. */
int64_t event_clock(void);

/* Seconds as nanoseconds, from 0 to EVENT_EVER. */
int64_t event_nanoseconds(double seconds);

static inline unsigned event_count(struct event *e) {
    return atomic_load(&e->count);
}

static inline int event_has_reached(struct event *e, unsigned value) {
    return (int)(atomic_load_explicit(&e->count, memory_order_acquire) - value) >= 0;
}

/* One more; wakes who sleeps.  Any thread. */
void event_post(struct event *e);

/* Until the count has reached `value`, at most for so many nanoseconds: looking all the time, or
 * asleep.  Nonzero if it has. */
int event_watch(struct event *e, unsigned value, int64_t ns);
int event_sleep(struct event *e, unsigned value, int64_t ns);

/* Until it has: looking for so many nanoseconds, and asleep from then on. */
void event_wait(struct event *e, unsigned value, int64_t watch_ns);

#endif
