/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Slots of gathered products whose thread runs a signal handler of the program, which may never
 * return (lib/process/signal_guard.h). The device works in this library's memory and continues. If
 * the handler takes too long, another thread releases the slots. */
#ifndef MPGPU_GATHER_LOOSE_H
#define MPGPU_GATHER_LOOSE_H

#include <stdbool.h>

#include "lib/process/signal_guard.h"
#include "lib/session/gather.h"

/* A thread's submitted products from `next` to `count`; the thread waits for product `next`. */
struct gather_wait {
    struct gather *g;
    struct direct_product *p;
    unsigned next, count;
    bool is_gone; /* the slot of product `next` was released */
    struct signal_window window;
};

/* gather_loose_begin adds the signal window; gather_loose_end removes it. Products that have lost
 * their slots get slot GATHER_SLOTS. */
void gather_loose_begin(struct gather_wait *w);
void gather_loose_end(struct gather_wait *w);

/* Releases the slots of threads that have left. Any thread. */
void gather_loose_reap(struct gather *g);

/* Returns true if the thread of any slot runs a handler or has left. The device may be at work in
 * these slots. */
bool gather_loose_are_any(struct gather *g);

#endif
