/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Assigns slots of small products to threads, in the order in which the threads have asked for
 * them. */
#include "config.h"

#include "lib/session/coalesce_slots.h"

#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/signal_guard.h"

static unsigned take_free_slot(struct coalesce_slots *s) {
    uint32_t now = atomic_load(&s->taken);
    while (!~now || !atomic_compare_exchange_weak(&s->taken, &now, now | (~now & (now + 1))))
        now = atomic_load(&s->taken);
    return (unsigned)__builtin_ctz(~now);
}

unsigned coalesce_slots_take(struct coalesce_slots *s, bool (*is_open)(void *of), void *of) {
    unsigned ticket = atomic_fetch_add(&s->tickets, 1);
    struct event *turn = &s->turns[ticket % COALESCE_EVENTS];
    struct backoff b = {.spin_ns = executor_spin_ns()};
    for (;;) {
        unsigned next = event_count(turn) + 1;
        if ((int)(ticket - atomic_load(&s->freed)) < COALESCE_SLOTS)
            return take_free_slot(s);
        if (!is_open(of))
            return COALESCE_SLOTS;
        backoff_wait(&b, turn, next, SIGNAL_GUARD_LONG_NS);
        signal_guard_let_pass();
    }
}

/* Takes a slot only if more slots are free than threads wait for one, so the caller overtakes no
 * waiting thread. */
unsigned coalesce_slots_try(struct coalesce_slots *s) {
    unsigned ticket = atomic_load(&s->tickets);
    while ((int)(ticket - atomic_load(&s->freed)) < COALESCE_SLOTS)
        if (atomic_compare_exchange_weak(&s->tickets, &ticket, ticket + 1))
            return take_free_slot(s);
    return COALESCE_SLOTS;
}

void coalesce_slots_give(struct coalesce_slots *s, unsigned slot) {
    atomic_fetch_and(&s->taken, ~(1u << slot));
    unsigned before = atomic_fetch_add(&s->freed, 1);
    event_post(&s->turns[(before + COALESCE_SLOTS) % COALESCE_EVENTS]);
}
