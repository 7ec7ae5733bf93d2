/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The slots of gathered products (lib/session/gather.h). */
#ifndef MPGPU_GATHER_SLOTS_H
#define MPGPU_GATHER_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/process/event.h"

/* Products at once, at most: what others ask for waits. */
enum { GATHER_SLOTS = 32, GATHER_PLACES = 256 };

/* Slots go to threads in the order in which they came.  A thread may take one once so many have
 * been given back that there is one for it.  Each place of `turns` is that of few threads: all of a
 * thousand would else be woken for each slot.  Zero at first. */
struct gather_slots {
    _Atomic uint32_t taken; /* a bit each */
    atomic_uint tickets, given_back;
    struct event turns[GATHER_PLACES];
};

/* A slot for the calling thread, which waits for one in its turn; GATHER_SLOTS where the device is
 * not open any more. */
unsigned gather_slots_take(struct gather_slots *s, bool (*is_open)(void *of), void *of);

/* The same without waiting: GATHER_SLOTS where there is none. */
unsigned gather_slots_try(struct gather_slots *s);

/* The other way.  A slot that the device may yet write to is never given back. */
void gather_slots_give(struct gather_slots *s, unsigned slot);

#endif
