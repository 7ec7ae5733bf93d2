/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The slots of gathered products (lib/session/gather.h). */
#ifndef MPGPU_GATHER_SLOTS_H
#define MPGPU_GATHER_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/process/event.h"

/* The most products at once; further ones wait. */
enum { GATHER_SLOTS = 32, GATHER_PLACES = 256 };

/* Slots go to threads in the order of their tickets. A thread may take a slot once enough slots
 * have been released before it. Each place of `turns` wakes only a few threads; with a single
 * event, each released slot would wake every waiting thread. All zero at first. */
struct gather_slots {
    _Atomic uint32_t taken; /* a bit for each slot */
    atomic_uint tickets, given_back;
    struct event turns[GATHER_PLACES];
};

/* Waits in order and returns a slot; returns GATHER_SLOTS if the device is no longer open. */
unsigned gather_slots_take(struct gather_slots *s, bool (*is_open)(void *of), void *of);

/* Returns a slot without waiting, or GATHER_SLOTS if there is none. */
unsigned gather_slots_try(struct gather_slots *s);

/* Releases a slot. Never call it for a slot that the device may still write to. */
void gather_slots_give(struct gather_slots *s, unsigned slot);

#endif
