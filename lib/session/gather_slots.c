/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which slots are in use, and whose turn it is. */
#include "config.h"

#include "lib/session/gather_slots.h"

#include <stdatomic.h>
#include <stdint.h>

#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/signal_guard.h"
#include "lib/session/gather.h"

static _Atomic uint32_t taken; /* a bit each */

/* Slots go to threads in the order in which they came.  A thread may take one once so many have
 * been given back that there is one for it.  Each place of `turns` is that of few threads: all of a
 * thousand would else be woken for each slot. */
enum { PLACES = 256 };
static atomic_uint tickets, given_back;
static struct event turns[PLACES];

static unsigned take_free_slot(void) {
    uint32_t now = atomic_load(&taken);
    while (!~now || !atomic_compare_exchange_weak(&taken, &now, now | (~now & (now + 1))))
        now = atomic_load(&taken);
    return (unsigned)__builtin_ctz(~now);
}

unsigned gather_slots_take(bool (*is_open)(void)) {
    unsigned ticket = atomic_fetch_add(&tickets, 1);
    struct event *turn = &turns[ticket % PLACES];
    struct backoff b = {.spin_ns = executor_spin_ns()};
    for (;;) {
        unsigned next = event_count(turn) + 1;
        if ((int)(ticket - atomic_load(&given_back)) < GATHER_SLOTS)
            return take_free_slot();
        if (!is_open())
            return GATHER_SLOTS;
        backoff_wait(&b, turn, next, SIGNAL_GUARD_LOOK_NS);
        signal_guard_let_pass();
    }
}

/* While tickets are fewer than slots nobody waits. */
unsigned gather_slots_try(void) {
    unsigned ticket = atomic_load(&tickets);
    while ((int)(ticket - atomic_load(&given_back)) < GATHER_SLOTS)
        if (atomic_compare_exchange_weak(&tickets, &ticket, ticket + 1))
            return take_free_slot();
    return GATHER_SLOTS;
}

void gather_slots_give(unsigned slot) {
    atomic_fetch_and(&taken, ~(1u << slot));
    unsigned before = atomic_fetch_add(&given_back, 1);
    event_post(&turns[(before + GATHER_SLOTS) % PLACES]);
}
