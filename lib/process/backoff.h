/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waiting for another thread or for the device: spin first, since to be woken takes 20 to 200 us,
 * and sleep later. */
#ifndef MPGPU_BACKOFF_H
#define MPGPU_BACKOFF_H

#include <stdbool.h>

#include "lib/process/event.h"

/* How many threads may spin at once, and how many do. */
struct backoff_limit {
    atomic_int most, spinners;
};

/* One wait.  It spins for so many nanoseconds, and once it has slept it spins no more. */
struct backoff {
    int64_t spin_ns;
    struct backoff_limit *limit; /* for backoff_wait; NULL: none */
    int64_t since;               /* when spinning began, or when it ended; 0 before */
    unsigned looks;
};

/* Called between two looks at memory that another CPU or the device writes.  True after a pause;
 * false when the time for spinning is over. */
bool backoff_spin(struct backoff *b);

/* The same, and takes a nap where that is over: a fraction of the time that it has lasted. */
void backoff_nap(struct backoff *b);

/* Wait until the event's count has reached `value`: spin, then sleep for at most `ns` nanoseconds.
 * True if it has.  The next wait spins for the full time again unless this one has slept. */
bool backoff_wait(struct backoff *b, struct event *e, unsigned value, int64_t ns);

#endif
