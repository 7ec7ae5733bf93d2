/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Spinning before a sleep, for the server and its clients: waking up from a sleep takes 20 to 50
 * us. */
#ifndef MPGPU_SERVED_WAIT_H
#define MPGPU_SERVED_WAIT_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
    SERVED_SPIN_NS = 200000,
    SERVED_LOOKS = 64 /* SERVED_LOOKS: iterations between two readings of the clock */
};

struct served_wait {
    bool spins, yields;
    unsigned looks;
    int64_t end; /* end of the spin time; 0: not known yet */
};

/* Begins a wait. `yields`: calls sched_yield while spinning. The server sets this; a client does
 * not, because a program may have forbidden itself this system call. */
static inline struct served_wait served_wait_begin(bool spins, bool yields) {
    return (struct served_wait){.spins = spins, .yields = yields};
}

static inline int64_t served_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Call it in a loop between two reads of memory that the other process writes. Pauses and
 * returns true; returns false once the spin time is used up. */
static inline bool served_wait_spin(struct served_wait *w) {
    if (!w->spins)
        return false;
    if (w->looks++ % SERVED_LOOKS == SERVED_LOOKS - 1) {
        int64_t now = served_clock();
        w->end = w->end ? w->end : now + SERVED_SPIN_NS;
        w->spins = now < w->end;
        if (w->yields)
            sched_yield();
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return w->spins;
}

#endif
