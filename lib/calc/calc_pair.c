/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two devices that compute one composite operation together: how their threads wait for each other.
 */
#include "lib/calc/calc_pair.h"

#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/transfer/far.h"

enum { LOOK_NS = 2000000, SPIN_NS = 500000 };

void calc_pair_begin(struct calc_pair *p, uint64_t least, uint64_t lent) {
    p->least = least;
    p->lent = lent;
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        atomic_store(&p->half[i].meetings.count, 0);
        atomic_store(&p->half[i].is_gone, false);
        atomic_store(&p->half[i].keeper, NULL);
    }
}

void calc_pair_leave(struct calc_pair *p, unsigned i) {
    atomic_store(&p->half[i].is_gone, true);
}

bool calc_pair_is_gone(const struct calc_pair *p, unsigned i) {
    return atomic_load(&p->half[i].is_gone);
}

/* Waits, without a time limit, for the other device, which may be slow or build kernels. If that
 * device is lost, its own watchdog notices, and its thread leaves the pair. */
static bool wait_for(struct calc_pair *p, unsigned i, unsigned value) {
    struct calc_pair_half *other = &p->half[!i];
    struct backoff b = {.spin_ns = SPIN_NS};
    for (;;) {
        bool is_gone = calc_pair_is_gone(p, !i);
        if (calc_pair_is_gone(p, i) || (far_here() && far_is_over(far_here())))
            return false;
        if (event_has_reached(&other->meetings, value))
            return true;
        if (is_gone)
            return false;
        backoff_wait(&b, &other->meetings, value, LOOK_NS);
        if (!far_here()) /* not in a server, where the other device's progress counts */
            executor_progress();
    }
}

bool calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                    struct calc_offer *other) {
    unsigned value = event_count(&p->half[i].meetings) + 1;
    p->half[i].offer[value % 2] = *mine;
    event_post(&p->half[i].meetings);
    if (!wait_for(p, i, value))
        return false;
    *other = p->half[!i].offer[value % 2];
    return true;
}

void calc_pair_keep(struct calc_pair *p, unsigned i, struct context *s) {
    atomic_store(&s->keeps_share, true);
    atomic_store(&p->half[i].keeper, s);
}

void calc_pair_forget(struct calc_pair *p) {
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        struct context *s = atomic_load(&p->half[i].keeper);
        if (s)
            atomic_store(&s->keeps_share, false);
    }
}
