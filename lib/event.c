/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits by futex. */
#include "config.h"

#include "event.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "patience.h"

enum { SECOND = 1000000000, LOOKS_PER_CLOCK = 50 };

/* As the kernel has it: of 64 bits where there is only the newer call. */
#ifdef SYS_futex
struct span {
    long seconds, ns;
};
#else
#define SYS_futex SYS_futex_time64
struct span {
    int64_t seconds, ns;
};
#endif

int64_t event_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

int64_t event_nanoseconds(double seconds) {
    return seconds <= 0 ? 0 : seconds < 1e9 ? (int64_t)(seconds * SECOND) : EVENT_EVER;
}

/* Who sleeps has counted itself before it looked at the count: one of the two sees the other. */
void event_post(struct event *e) {
    atomic_fetch_add(&e->count, 1);
    if (atomic_load(&e->sleepers) > 0)
        syscall(SYS_futex, &e->count, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

int event_watch(struct event *e, unsigned value, int64_t ns) {
    if (ns <= 0)
        return event_has_reached(e, value);
    for (int64_t end = event_clock() + ns; event_clock() < end;)
        for (int i = 0; i < LOOKS_PER_CLOCK; i++, patience_breath())
            if (event_has_reached(e, value))
                return 1;
    return 0;
}

/* While the count is `now`; returns sooner for a signal, too. */
static void sleep_while(struct event *e, unsigned now, int64_t ns) {
    struct span span = {ns / SECOND, ns % SECOND};
    syscall(SYS_futex, &e->count, FUTEX_WAIT_PRIVATE, now, &span, NULL, 0);
}

int event_sleep(struct event *e, unsigned value, int64_t ns) {
    int64_t end = event_clock() + ns, left = ns;
    atomic_fetch_add(&e->sleepers, 1);
    while (left > 0) {
        unsigned now = event_count(e);
        if ((int)(now - value) >= 0)
            break;
        sleep_while(e, now, left);
        left = end - event_clock();
    }
    atomic_fetch_sub(&e->sleepers, 1);
    return event_has_reached(e, value);
}
