/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Assigns slots of small products (lib/session/coalesce.h) to threads, in the order in which the
 * threads have asked for them. */
#ifndef MPGPU_COALESCE_SLOTS_H
#define MPGPU_COALESCE_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/process/event.h"

/* COALESCE_SLOTS: the maximum number of products at once; threads with further products wait. */
enum { COALESCE_SLOTS = 32, COALESCE_EVENTS = 256 };

/* The assignment of slots. A thread takes a ticket (a number), and may take a slot once enough
 * threads with lower tickets have freed theirs. The ticket also selects an event of `turns`, so
 * that a freed slot wakes only few threads. All members must be zero at first. */
struct coalesce_slots {
    _Atomic uint32_t taken; /* a bit for each slot, set if a thread has taken the slot */
    atomic_uint tickets, freed;
    struct event turns[COALESCE_EVENTS];
};

/* Waits until it is the thread's turn, and returns a slot. Returns COALESCE_SLOTS if is_open(of)
 * returns false, which means that the device is no longer open. */
unsigned coalesce_slots_take(struct coalesce_slots *s, bool (*is_open)(void *of), void *of);

/* Returns a free slot without waiting. Returns COALESCE_SLOTS if there is none, or if other threads
 * wait for slots. */
unsigned coalesce_slots_try(struct coalesce_slots *s);

/* Frees a slot. Never call it for a slot that the device may still write to. */
void coalesce_slots_give(struct coalesce_slots *s, unsigned slot);

#endif
