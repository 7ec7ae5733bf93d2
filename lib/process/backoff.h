/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for another thread or for the device. A wait first spins, because waking a sleeping thread
 * takes 20 to 200 us. Later it sleeps. */
#ifndef MPGPU_BACKOFF_H
#define MPGPU_BACKOFF_H

#include <stdbool.h>

#include "lib/process/event.h"

/* A limit for a group of waiting threads: how many of them may spin at once, and how many spin
 * now. */
struct backoff_limit {
    atomic_int most, spinners;
};

/* The state of one wait. It spins for at most `spin_ns` nanoseconds. After it has slept, it does
 * not spin again. */
struct backoff {
    int64_t spin_ns;
    struct backoff_limit *limit; /* limit that backoff_wait obeys, or NULL */
    /* the time at which spinning began or, later, ended; 0 before the wait */
    int64_t since;
    unsigned looks;
};

/* Pauses the CPU briefly and returns true; returns false once the spin time is used up. Call it
 * between two reads of memory that another CPU or the device writes. */
bool backoff_spin(struct backoff *b);

/* Does the same as backoff_spin. Once the spin time is used up, each call sleeps for 1/16 of the
 * time since then, but from 20 us to 20 ms. */
void backoff_nap(struct backoff *b);

/* Waits until the event's count has reached `value`: spins, then sleeps for at most `ns`
 * nanoseconds. Returns true if the count has reached `value`. If this wait has not slept, the next
 * wait with the same `b` spins for the full time again. */
bool backoff_wait(struct backoff *b, struct event *e, unsigned value, int64_t ns);

#endif
