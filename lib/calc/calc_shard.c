/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How the threads of two devices that compute one composite operation together wait for each other.
 */
#include "lib/calc/calc_shard.h"

#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/transfer/far.h"

enum { LOOK_NS = 2000000, SPIN_NS = 500000 };

void calc_shard_begin(struct calc_shard *p, uint64_t least, uint64_t broadcast) {
    p->least = least;
    p->broadcast = broadcast;
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        atomic_store(&p->half[i].meetings.count, 0);
        atomic_store(&p->half[i].is_gone, false);
        atomic_store(&p->half[i].keeper, NULL);
    }
}

void calc_shard_leave(struct calc_shard *p, unsigned i) {
    atomic_store(&p->half[i].is_gone, true);
}

bool calc_shard_is_gone(const struct calc_shard *p, unsigned i) {
    return atomic_load(&p->half[i].is_gone);
}

/* Waits, without a time limit, for the other device, which may be slow or build kernels. If that
 * device is lost, its own watchdog notices, and its thread leaves the pair. */
static bool wait_for(struct calc_shard *p, unsigned i, unsigned value) {
    struct calc_shard_half *other = &p->half[!i];
    struct backoff b = {.spin_ns = SPIN_NS};
    for (;;) {
        bool is_gone = calc_shard_is_gone(p, !i);
        if (calc_shard_is_gone(p, i) || (far_here() && far_is_over(far_here())))
            return false;
        if (event_has_reached(&other->meetings, value))
            return true;
        if (is_gone)
            return false;
        backoff_wait(&b, &other->meetings, value, LOOK_NS);
        /* Reports progress to the watchdog, except in a server: there the other device's progress
         * counts. */
        if (!far_here())
            executor_progress();
    }
}

bool calc_shard_exchange(struct calc_shard *p, unsigned i, const struct calc_offer *mine,
                         struct calc_offer *other) {
    unsigned value = event_count(&p->half[i].meetings) + 1;
    p->half[i].offer[value % 2] = *mine;
    event_post(&p->half[i].meetings);
    if (!wait_for(p, i, value))
        return false;
    *other = p->half[!i].offer[value % 2];
    return true;
}

void calc_shard_keep(struct calc_shard *p, unsigned i, struct context *s) {
    atomic_store(&s->keeps_shard, true);
    atomic_store(&p->half[i].keeper, s);
}

void calc_shard_forget(struct calc_shard *p) {
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        struct context *s = atomic_load(&p->half[i].keeper);
        if (s)
            atomic_store(&s->keeps_shard, false);
    }
}
