/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads at once on one device. Each thread loads its operands into a
 * slot of its own. One thread, the launcher, launches all products that are pending together. Each
 * thread waits for its own result and checks it, so a wrong product or a slow thread does not
 * affect other threads.
 *
 * The launcher (lib/session/gather_launcher.h) is in this process, or in the server that owns the
 * device. */
#ifndef MPGPU_GATHER_H
#define MPGPU_GATHER_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/session/gather_launcher.h"

/* What the program stores about the product in a slot. The product is copied here because its
 * thread may return, and its stack vanish, before a stuck device answers. */
struct gather_kept {
    struct direct_product product;
    unsigned posts;        /* posts of the entry's `ended` event before this product */
    atomic_uint owner;     /* for lib/session/gather_loose.c: which thread owns the slot */
    _Atomic int64_t since; /* since when no thread owns it */
};

/* All zero before gather_prepare, except for the fields that gather_prepare names. */
struct gather {
    struct gather_launcher launcher; /* without a thread if the device is a server's */
    bool is_ready;                   /* products may be computed */
    struct gather_block own_block;
    struct gather_block *block; /* own_block, or a block shared with a server */
    struct direct *far;         /* the slots behind a block shared with a server */
    struct gather_slots slots;
    struct gather_kept kept[GATHER_SLOTS];
    atomic_bool abandoned;     /* the device may never answer */
    atomic_int users, holders; /* threads with a product under way; threads in gather_hold */
    atomic_int loose; /* slots whose thread runs a signal handler, or has left by longjmp */
};

/* Starts the launcher thread if this process owns the device. Call it once, before any other
 * function here, with g->launcher.session, .device and .first set. */
void gather_prepare(struct gather *g);

/* Returns true if the open device would compute this product by this path. Only sets p->plan. */
bool gather_fits(const struct gather *g, struct direct_product *p);

/* Computes `count` >= 1 products, if all are small enough for this path and it is open. Chooses
 * plans and slots, and launches products together while there are slots. Returns true if it ran:
 * *outcome is OUTCOME_DONE, or why some products failed. Returns false if the caller must use the
 * path of larger operations. Any thread of the program, under its signal guard. */
bool gather_products(struct gather *g, struct direct_product *p, unsigned count,
                     enum outcome *outcome);

/* gather_hold stops new products from starting, and waits at most `seconds` for running products to
 * end. Returns false on timeout. gather_go_on admits new products again. */
bool gather_hold(struct gather *g, int seconds);
void gather_go_on(struct gather *g);

/* Releases the device memory of small products. Call it between gather_hold and gather_go_on. */
void gather_trim(struct gather *g);

/* Returns true if the path for small products is open. */
bool gather_is_open(struct gather *g);

/* Returns the slots, once the path is open. */
static inline struct direct *gather_direct(const struct gather *g) {
    return g->far ? g->far : g->launcher.context.direct;
}

/* ---- gather_wait.c: how a thread of the program uses the launcher */

/* Opens the path for small products at first use and waits until it is open; returns false if that
 * fails. While a signal handler of the program runs, the caller does not count as a user of `g`. */
bool gather_wait_open(struct gather *g);

/* Marks products, already loaded into their slots, as pending and wakes the launcher. */
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

/* Returns true if the launcher is done with the slot; otherwise has the launcher ask the driver.
 * Does not wait. For a slot whose thread may have left. */
bool gather_has_ended(struct gather *g, unsigned slot);

/* Ends the product in the slot. Returns the status that the launcher reported. Call it after either
 * function above has returned true. */
enum gpu_status gather_end(struct gather *g, unsigned slot);

#endif
