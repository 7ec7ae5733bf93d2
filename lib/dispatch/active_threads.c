/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Counts the threads that make calls in each window of time, and records when a call comes from
 * another thread than the previous one. */
#include "lib/dispatch/active_threads.h"

static const int64_t memory = 10000000, pause = 1000000; /* ns */

static bool is_alone_since(const struct active_threads *c, int64_t now) {
    return now - atomic_load_explicit(&c->switched, memory_order_relaxed) > memory;
}

bool active_threads_is_one(struct active_threads *c, uintptr_t me, int64_t now) {
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

enum { WINDOW_BITS = 24 }; /* of nanoseconds */
_Static_assert(ACTIVE_THREADS_LONG == 1 << WINDOW_BITS >> 1, "shorter calls come in each window");

/* Begins a window of time. If two threads begin it at the same time, they may count its threads
 * wrongly. */
static void begin_window(struct active_threads *c, int64_t window) {
    int64_t old = atomic_exchange_explicit(&c->window, window, memory_order_relaxed);
    if (old == window)
        return;
    int count = atomic_exchange_explicit(&c->now, 0, memory_order_relaxed);
    atomic_store_explicit(&c->before, old == window - 1 ? count : 0, memory_order_relaxed);
}

void active_threads_enter(struct active_threads *c) {
    atomic_fetch_add_explicit(&c->inside, 1, memory_order_relaxed);
}

void active_threads_leave(struct active_threads *c) {
    atomic_fetch_sub_explicit(&c->inside, 1, memory_order_relaxed);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

int active_threads_count(struct active_threads *c, int64_t *seen, int64_t now) {
    int64_t window = (now >> WINDOW_BITS) + 1;
    if (*seen != window) {
        *seen = window;
        if (atomic_load_explicit(&c->window, memory_order_relaxed) != window)
            begin_window(c, window);
        atomic_fetch_add_explicit(&c->now, 1, memory_order_relaxed);
    }
    int count = atomic_load_explicit(&c->now, memory_order_relaxed);
    int before = atomic_load_explicit(&c->before, memory_order_relaxed);
    int inside = atomic_load_explicit(&c->inside, memory_order_relaxed);
    return larger(larger(count, before), larger(inside, 1));
}
