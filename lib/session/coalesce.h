/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of several threads at once on one device.
 *
 * Each thread loads its operands into a slot (memory for one product) of its own. One thread,
 * the launcher, launches all products that are pending together. Each thread waits for its own
 * result and checks it, so a wrong product or a slow thread does not affect other threads. The
 * launcher (lib/session/coalesce_launcher.h) is in this process, or in the server that owns the
 * device. */
#ifndef MPGPU_COALESCE_H
#define MPGPU_COALESCE_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/session/coalesce_launcher.h"

/* A copy of the product in a slot, private to the program. The original is on the stack of its
 * thread, which may return before a stuck device answers. */
struct coalesce_kept {
    struct direct_product product;
    /* How often the slot's event `ended` was posted before this product. A greater count means that
     * the product has ended. */
    unsigned posts;
    atomic_uint owner;     /* which thread owns the slot (lib/session/coalesce_signals.c) */
    _Atomic int64_t since; /* the time at which the owner released the slot, in nanoseconds */
};

/* The state of small products on one device. All zero before coalesce_prepare, except for the
 * fields that coalesce_prepare names. */
struct coalesce {
    struct coalesce_launcher launcher; /* has no thread if the device belongs to a server */
    bool is_ready; /* coalesce_prepare was called, so products may be computed */
    struct coalesce_block own_block;
    struct coalesce_block *block; /* own_block, or a block of memory shared with the server */
    struct direct *far;           /* the slots after *block, if a server shares it */
    struct coalesce_slots slots;
    struct coalesce_kept kept[COALESCE_SLOTS];
    atomic_bool abandoned; /* the device did not answer in time and may never answer */
    /* users: threads whose products are in progress; pauses: threads in coalesce_pause */
    atomic_int users, pauses;
    /* slots whose thread is in a signal handler, or has left a handler by longjmp */
    atomic_int suspended;
};

/* Starts the launcher thread if this process owns the device. Call it once, before any other
 * function here, with g->launcher.session, .device and .first set. */
void coalesce_prepare(struct coalesce *g);

/* Returns true if the open device can compute this product as a small product. Only sets
 * p->plan. */
bool coalesce_fits(const struct coalesce *g, struct direct_product *p);

/* Computes `count` >= 1 products, if all are small enough. Chooses their plans and slots, and
 * launches products together if there are enough slots. Returns true if it ran: *outcome is then
 * OUTCOME_DONE, or why some products failed. Returns false if the caller must use session_run
 * instead. Any thread of the program, inside its signal guard. */
bool coalesce_products(struct coalesce *g, struct direct_product *p, unsigned count,
                       enum outcome *outcome);

/* coalesce_pause stops new products from starting, and waits at most `seconds` for running products
 * to end. Returns false on timeout. coalesce_resume admits new products again. */
bool coalesce_pause(struct coalesce *g, int seconds);
void coalesce_resume(struct coalesce *g);

/* Releases the device memory of small products. Call it between coalesce_pause and coalesce_resume.
 */
void coalesce_trim(struct coalesce *g);

/* Returns true if the device is open for small products. */
bool coalesce_is_open(struct coalesce *g);

/* Returns the slots. Call it only when the device is open for small products. */
static inline struct direct *coalesce_direct(const struct coalesce *g) {
    return g->far ? g->far : g->launcher.context.direct;
}

/* ---- coalesce_wait.c: how a thread of the program sends products to the launcher and waits */

/* Opens the device for small products at first use and waits until it is open; returns false if
 * that fails. While a signal handler of the program runs, the caller does not count as a user of
 * `g`. */
bool coalesce_wait_open(struct coalesce *g);

/* Marks products, whose operands are already in their slots, as pending and wakes the launcher. */
void coalesce_submit(struct coalesce *g, const struct direct_product *p, unsigned count);

/* A thread's wait for a free slot. */
struct coalesce_patience {
    struct coalesce *g;
    /* The time limit of the wait. It begins anew whenever a slot is freed. */
    struct executor_patience patience;
    unsigned freed; /* count of freed slots at the last check */
};

/* Called regularly while a thread waits for a slot. If a server has the slots and does not answer
 * in time, stops using the device and returns false: slots whose threads have abandoned their
 * product may otherwise never become free. */
bool coalesce_is_patient(struct coalesce_patience *p);

/* Waits until the product in the slot has ended: spins first; then makes the launcher ask the
 * driver, and sleeps. Returns false if *is_gone is true, or if the device does not answer; the
 * device is then no longer used. */
bool coalesce_wait_ended(struct coalesce *g, unsigned slot, const bool *is_gone);

/* Returns true if the launcher has finished with the slot. Otherwise makes the launcher ask the
 * driver, and returns false without waiting. Meant for a slot whose thread may have abandoned its
 * product. */
bool coalesce_has_ended(struct coalesce *g, unsigned slot);

/* Ends the product in the slot and returns the status that the launcher reported. Call it after
 * coalesce_wait_ended or coalesce_has_ended has returned true. */
enum gpu_status coalesce_end(struct coalesce *g, unsigned slot);

#endif
