/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads at once on one device.  Each thread loads its operands into a
 * slot of its own, one thread launches what has come meanwhile together, and each waits for its own
 * result and checks it.  So a wrong product, or a thread that is late, is no other's concern.
 *
 * The thread that launches (lib/session/gather_launcher.h) is this process's, or that of the server
 * whose device it is. */
#ifndef MPGPU_GATHER_H
#define MPGPU_GATHER_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/session/gather_launcher.h"

/* What the program's threads keep of the product in a slot.  The product itself: a thread goes on
 * where the device does not answer, and its stack is gone when that answers after all. */
struct gather_kept {
    struct direct_product product;
    unsigned posts;        /* of the entry's `ended`, before this product */
    atomic_uint owner;     /* for lib/session/gather_loose.c: who has it, */
    _Atomic int64_t since; /* and since when nobody has */
};

/* Zero at first, but for what gather_prepare says. */
struct gather {
    struct gather_launcher launcher; /* of a server's device without its thread */
    bool is_ready;                   /* for products */
    struct gather_block own_block;
    struct gather_block *block; /* that, or one that a server sees: */
    struct direct *far;         /* the slots behind it */
    struct gather_slots slots;
    struct gather_kept kept[GATHER_SLOTS];
    atomic_bool abandoned;     /* the device may never answer */
    atomic_int users, holders; /* threads with a product under way; who keeps them out */
    atomic_int loose;          /* slots whose thread runs a handler, or has left */
};

/* With the device: its thread, if it is this process's.  Up to here nothing else is called;
 * g->launcher.session, .device and .first are set. */
void gather_prepare(struct gather *g);

/* Would the open device make this product so?  p->plan is chosen, nothing else happens. */
bool gather_fits(const struct gather *g, struct direct_product *p);

/* The products, 1 or more, if all are small enough for this way and the way is open; plans and
 * slots are chosen here.  They go together as far as there are slots.  True: *outcome is
 * OUTCOME_DONE, or why not all were done.  False: the caller goes the way of larger operations.
 * Any thread of the program, under its signal guard. */
bool gather_products(struct gather *g, struct direct_product *p, unsigned count,
                     enum outcome *outcome);

/* Wait for at most `seconds` until no product is under way, and keep others out; false if that
 * took longer.  gather_go_on lets them in again. */
bool gather_hold(struct gather *g, int seconds);
void gather_go_on(struct gather *g);

/* Between the two: releases what it has of the device's memory. */
void gather_trim(struct gather *g);

/* Is the way of small products open? */
bool gather_is_open(struct gather *g);

/* The slots, once it is. */
static inline struct direct *gather_direct(const struct gather *g) {
    return g->far ? g->far : g->launcher.context.direct;
}

/* ---- gather_wait.c: what a thread asks of the one that launches */

/* Opens the way at first use, and waits for that; false if there is none.  While a handler of the
 * program runs the caller is no user of `g`. */
bool gather_wait_open(struct gather *g);

/* Products, loaded into their slots, are to be launched. */
void gather_submit(struct gather *g, const struct direct_product *p, unsigned count);

/* A wait for a free slot. */
struct gather_patience {
    struct gather *g;
    struct executor_patience patience; /* begins with the wait */
    unsigned given_back;               /* slots, at the last look */
};

/* Called once in a while during that.  Returns false, and the device is left alone, if a server
 * that has the slots does not answer: nobody waits for the products of threads that have left. */
bool gather_is_patient(struct gather_patience *p);

/* Until the product in the slot has ended: spins, then asks that the driver be asked, and sleeps.
 * False where the device does not answer and is left alone, or *is_gone is true. */
bool gather_wait_ended(struct gather *g, unsigned slot, const bool *is_gone);

/* Without waiting, for a slot whose thread may have left: asks that the driver be asked, and
 * returns true when the thread that launches is done with the slot. */
bool gather_has_ended(struct gather *g, unsigned slot);

/* Then: what the device has said. */
enum gpu_status gather_end(struct gather *g, unsigned slot);

#endif
