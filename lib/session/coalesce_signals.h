/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Slots (memory for a small product each) whose thread runs a signal handler of the program. Some
 * handlers leave by longjmp and never return (lib/process/signal_guard.h). If a handler takes too
 * long, another thread frees the slots. */
#ifndef MPGPU_COALESCE_SIGNALS_H
#define MPGPU_COALESCE_SIGNALS_H

#include <stdbool.h>

#include "lib/process/signal_guard.h"
#include "lib/session/coalesce.h"

/* A thread's wait for its submitted products p[next] to p[count - 1], in this order. */
struct coalesce_wait {
    struct coalesce *g;
    struct direct_product *p;
    unsigned next, count;
    bool is_gone; /* another thread has freed the slot of product p[next] */
    struct signal_window window;
};

/* coalesce_signals_begin allows signal handlers during the wait, and releases the thread's slots
 * before each handler. coalesce_signals_end forbids them again. If another thread has freed the
 * slot of a product, the product's member `slot` becomes COALESCE_SLOTS. */
void coalesce_signals_begin(struct coalesce_wait *w);
void coalesce_signals_end(struct coalesce_wait *w);

/* Frees slots whose thread has run a signal handler for too long, or has left its product by
 * longjmp. Any thread may call it. */
void coalesce_signals_reap(struct coalesce *g);

/* Returns true if the thread of any slot runs a signal handler, or has left its product by longjmp.
 * The device may then still use this slot. */
bool coalesce_signals_any_suspended(struct coalesce *g);

#endif
