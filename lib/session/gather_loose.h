/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Slots of gathered products whose thread runs a signal handler of the program, which may never
 * return (lib/process/signal_guard.h).  The device works in memory of ours: it goes on, and another
 * thread gives the slots back if the handler has taken too long. */
#ifndef MPGPU_GATHER_LOOSE_H
#define MPGPU_GATHER_LOOSE_H

#include <stdbool.h>

#include "lib/process/signal_guard.h"
#include "lib/session/gather.h"

/* A thread's products from `next` to `count`, submitted, of which it waits for the first. */
struct gather_wait {
    struct gather *g;
    struct direct_product *p;
    unsigned next, count;
    bool is_gone; /* the first of them: its slot was given back */
    struct signal_window window;
};

/* Adds the window, and removes it.  Products whose slots are gone have slot GATHER_SLOTS. */
void gather_loose_begin(struct gather_wait *w);
void gather_loose_end(struct gather_wait *w);

/* Gives back the slots of threads that have left.  Any thread. */
void gather_loose_reap(struct gather *g);

/* Are there any that run a handler, or have left?  They are at work on the device. */
bool gather_loose_are_any(struct gather *g);

#endif
