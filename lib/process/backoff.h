/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waiting for another thread or for the device: spins first, since waking a thread takes 20 to 200
 * us, and sleeps later. */
#ifndef MPGPU_BACKOFF_H
#define MPGPU_BACKOFF_H

#include <stdbool.h>

#include "lib/process/event.h"

/* How many threads may spin at once, and how many spin now. */
struct backoff_limit {
    atomic_int most, spinners;
};

/* One wait. It spins for `spin_ns` nanoseconds; after it has slept, it does not spin again. */
struct backoff {
    int64_t spin_ns;
    struct backoff_limit *limit; /* for backoff_wait; NULL: none */
    int64_t since;               /* when spinning began, or ended; 0 before */
    unsigned looks;
};

/* Call it between two looks at memory that another CPU or the device writes. Pauses and returns
 * true; returns false once the spin time is used up. */
bool backoff_spin(struct backoff *b);

/* As backoff_spin; once the spin time is used up, sleeps for a fraction of the time waited so far.
 */
void backoff_nap(struct backoff *b);

/* Waits until the event's count has reached `value`: spins, then sleeps for at most `ns`
 * nanoseconds. Returns true if it has. The next wait with `b` spins for the full time again, unless
 * this wait has slept. */
bool backoff_wait(struct backoff *b, struct event *e, unsigned value, int64_t ns);

#endif
