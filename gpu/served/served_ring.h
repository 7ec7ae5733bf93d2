/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waiting on and advancing the counters of a channel's ring, on the program's side. */
#ifndef MPGPU_SERVED_RING_H
#define MPGPU_SERVED_RING_H

#include <stdbool.h>

#include "gpu/futex.h"
#include "gpu/served/served.h"

static inline bool served_ring_has(struct served_channel *c, uint32_t count) {
    return (int32_t)(atomic_load(&c->served) - count) >= 0;
}

static inline bool served_ring_is_idle(struct served_channel *c) {
    return served_ring_has(c, atomic_load(&c->posted));
}

/* Sleeps until `count` requests are served, at most `ns` nanoseconds.  No wake-up is lost: the
 * server reads is_waiting after it has increased `served`, the client reads `served` after it has
 * set is_waiting. */
static inline void served_ring_sleep(struct served_channel *c, uint32_t count, int64_t ns) {
    uint32_t seen = atomic_load(&c->served);
    atomic_store(&c->wanted, count);
    atomic_store(&c->is_waiting, 1);
    if (!served_ring_has(c, count))
        futex_sleep(&c->served, seen, ns);
    atomic_store(&c->is_waiting, 0);
}

/* Wakes the server if it sleeps. Does not clear is_asleep: if the client cleared it, the server
 * could sleep with the flag unset. */
static inline void served_ring_push(struct served_channel *c) {
    if (atomic_load(&c->is_asleep))
        futex_wake(&c->posted);
}

#endif
