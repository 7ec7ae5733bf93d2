/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements counters that threads wait for, by futex. */
#include "config.h"

#include "lib/process/event.h"

#include <time.h>

#include "gpu/futex.h"

enum { SECOND = 1000000000 };

int64_t event_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

int64_t event_nanoseconds(double seconds) {
    return seconds <= 0 ? 0 : seconds < 1e9 ? (int64_t)(seconds * SECOND) : EVENT_FOREVER;
}

/* Adds one to the count and wakes sleepers. event_sleep counts its thread as a sleeper before it
 * reads the count, so no wake-up is lost. */
void event_post(struct event *e) {
    atomic_fetch_add(&e->count, 1);
    if (atomic_load(&e->sleepers) > 0)
        futex_wake(&e->count);
}

bool event_sleep(struct event *e, unsigned value, int64_t ns) {
    int64_t end = event_clock() + ns, left = ns;
    atomic_fetch_add(&e->sleepers, 1);
    while (left > 0) {
        unsigned now = event_count(e);
        if ((int)(now - value) >= 0)
            break;
        /* futex_sleep returns early after a signal, so the loop checks the count */
        futex_sleep(&e->count, now, left);
        left = end - event_clock();
    }
    atomic_fetch_sub(&e->sleepers, 1);
    return event_has_reached(e, value);
}
