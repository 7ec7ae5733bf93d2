/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last thread, and when it came. */
#include "lib/dispatch/crowd.h"

static const int64_t memory = 10000000, pause = 1000000; /* ns */

static bool is_alone_since(const struct crowd *c, int64_t now) {
    return now - atomic_load_explicit(&c->switched, memory_order_relaxed) > memory;
}

bool crowd_is_alone(struct crowd *c, uintptr_t me, int64_t now) {
    uintptr_t last = atomic_load_explicit(&c->last, memory_order_relaxed);
    if (last == me)
        return is_alone_since(c, now);
    bool first = last == 0;
    if (first || now - atomic_load_explicit(&c->switched, memory_order_relaxed) >= pause) {
        atomic_store_explicit(&c->switched, first ? now - memory - 1 : now, memory_order_relaxed);
        atomic_store_explicit(&c->last, me, memory_order_relaxed);
    }
    return first;
}
