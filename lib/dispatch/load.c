/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How long a call waits for the device, depending on the number of other calls on it (the load).
 * These times are smoothed, and kept ascending with the load. */
#include "lib/dispatch/load.h"

/* The most that an observation counts, in nanoseconds: a longer delay was no wait for other calls.
 */
static const int64_t most = 100000000;

static int level_of(int in_flight) {
    return in_flight < 0 ? 0 : in_flight < LOAD_LEVELS ? in_flight : LOAD_LEVELS - 1;
}

static int64_t at(const struct load *l, int level) {
    return atomic_load_explicit(&l->excess[level], memory_order_relaxed);
}

static void put(struct load *l, int level, int64_t excess) {
    if (at(l, level) != excess)
        atomic_store_explicit(&l->excess[level], excess, memory_order_relaxed);
}

int64_t load_get(const struct load *l, int in_flight) {
    return at(l, level_of(in_flight));
}

/* Returns the smoothed wait after a call waited `seen`: moves `old` a quarter towards `seen`. Moves
 * it by half if the device has become much slower. Moves it by three quarters if the call was a
 * trial (sent although the device might be slower) and waited less than `old`. */
static int64_t smooth(int64_t old, int64_t seen, int64_t idle, bool trial) {
    if (trial && seen < old)
        return seen + (old - seen) / 4;
    return old + (seen - old) / (seen > 4 * (old + idle) ? 2 : 4);
}

static void keep_ascending(struct load *l, int level, int64_t lowered) {
    int64_t now = at(l, level);
    for (int i = 0; i < level; i++)
        if (at(l, i) > now)
            put(l, i, now);
    for (int i = level + 1; i < LOAD_LEVELS; i++) {
        int64_t above = at(l, i) - lowered;
        put(l, i, above > now ? above : now);
    }
}

void load_observe(struct load *l, int in_flight, int64_t excess, int64_t idle, bool trial) {
    int level = level_of(in_flight);
    int64_t old = at(l, level), seen = excess < 0 ? 0 : excess < most ? excess : most;
    int64_t next = smooth(old, seen, idle, trial);
    if (next == old)
        return;
    put(l, level, next);
    keep_ascending(l, level, trial && next < old ? old - next : 0);
}
