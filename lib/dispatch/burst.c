/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides when bursts begin and end: periods in which all threads send their calls to the device
 * (burst.h). */
#include "lib/dispatch/burst.h"

enum { LEAST_GAP = 8, MOST_GAP = 128, CALLS = 4, SHARE = 100 };
static const int64_t least = 2000000, most = 50000000, great = 1000000; /* ns */

static int64_t length_for(int64_t gmp) {
    int64_t length = gmp < most ? CALLS * gmp : most;
    return length < least ? least : length < most ? length : most;
}

bool burst_asks(struct burst *b, int64_t gmp, int64_t now) {
    int64_t next = atomic_load_explicit(&b->next, memory_order_relaxed);
    if (now < atomic_load_explicit(&b->end, memory_order_relaxed))
        return true;
    if (now < next)
        return false;
    int64_t length = length_for(gmp);
    int gap = atomic_load_explicit(&b->gap, memory_order_relaxed);
    gap = gap < LEAST_GAP ? LEAST_GAP : gap;
    if (!atomic_compare_exchange_strong(&b->next, &next, now + gap * length))
        return false;
    atomic_store_explicit(&b->end, now + length, memory_order_relaxed);
    atomic_store_explicit(&b->gap, 2 * gap < MOST_GAP ? 2 * gap : MOST_GAP, memory_order_relaxed);
    return true;
}

void burst_costs(struct burst *b, int64_t loss, int64_t now) {
    int64_t next = atomic_load_explicit(&b->next, memory_order_relaxed), later = now + SHARE * loss;
    while (later > next && !atomic_compare_exchange_weak(&b->next, &next, later))
        continue;
    if (loss > great)
        atomic_store_explicit(&b->end, 0, memory_order_relaxed);
}

void burst_pays(struct burst *b) {
    if (atomic_load_explicit(&b->gap, memory_order_relaxed) != LEAST_GAP)
        atomic_store_explicit(&b->gap, LEAST_GAP, memory_order_relaxed);
}
