/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits by spinning, then by sleeping. Times are whole nanoseconds, so that a wait does not change
 * the floating-point environment. */
#include "config.h"

#include "lib/process/backoff.h"

#include <sched.h>

#include "gpu/futex.h"
#include "lib/base/syscall_filter.h"

enum { LOOKS_PER_CLOCK = 32 };
enum { SHORTEST_NAP = 20000, LONGEST_NAP = 20000000, NAP_FRACTION = 16 }; /* ns; 1/16 */

static void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Spins once. Reads the clock only in every 32nd call. When the spin time is used up, sets b->since
 * to the current time. */
bool backoff_spin(struct backoff *b) {
    if (b->spin_ns <= 0)
        return false;
    if (b->looks++ % LOOKS_PER_CLOCK == 0) {
        int64_t now = event_clock();
        b->since = b->since ? b->since : now;
        if (now - b->since >= b->spin_ns) {
            b->spin_ns = 0;
            b->since = now;
            return false;
        }
        if (!syscall_filter_is_expected())
            /* yield the CPU: another thread may need it, perhaps the thread that this one waits
             * for */
            sched_yield();
    }
    pause_cpu();
    return true;
}

void backoff_nap(struct backoff *b) {
    if (backoff_spin(b))
        return;
    int64_t now = event_clock();
    b->since = b->since ? b->since : now;
    int64_t nap = (now - b->since) / NAP_FRACTION;
    nap = nap < SHORTEST_NAP ? SHORTEST_NAP : nap > LONGEST_NAP ? LONGEST_NAP : nap;
    atomic_uint never = 0;
    /* uses futex for sleeping, because even programs that filter their system calls allow it */
    futex_sleep(&never, 0, nap);
}

static bool count_spinner(struct backoff_limit *limit) {
    if (!limit)
        return true;
    int spinners = atomic_load(&limit->spinners);
    while (spinners < atomic_load(&limit->most))
        if (atomic_compare_exchange_weak(&limit->spinners, &spinners, spinners + 1))
            return true;
    return false;
}

static void uncount_spinner(struct backoff_limit *limit) {
    if (limit)
        atomic_fetch_sub(&limit->spinners, 1);
}

static bool spin_for_event(struct backoff *b, struct event *e, unsigned value) {
    bool has_come;
    if (b->spin_ns <= 0 || !count_spinner(b->limit))
        return false;
    while (!(has_come = event_has_reached(e, value)) && backoff_spin(b))
        continue;
    uncount_spinner(b->limit);
    b->looks = 0;
    b->since = 0;
    return has_come;
}

bool backoff_wait(struct backoff *b, struct event *e, unsigned value, int64_t ns) {
    if (spin_for_event(b, e, value))
        return true;
    b->spin_ns = 0;
    return event_sleep(e, value, ns);
}
