/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of several threads at once on one device.
 *
 * Each thread loads its operands into a slot (memory for one product) of its own. One thread, the
 * launcher, launches all pending products together. Each thread checks its own result, so a wrong
 * product or a slow thread does not affect other threads. The launcher
 * (lib/session/coalesce_launcher.h) is in this process, or in the server that owns the device. */
#ifndef MPGPU_COALESCE_H
#define MPGPU_COALESCE_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/session/coalesce_launcher.h"

/* What a program records about one of its slots. `product` is a copy: the original is on the stack
 * of its thread, which may return before a device that hangs has answered. */
struct coalesce_kept {
    struct direct_product product;
    /* How often the slot's event `ended` had been posted before this product. Once the event's
     * count is greater, the product has ended. */
    unsigned posts;
    atomic_uint owner;     /* which thread owns the slot (lib/session/coalesce_signals.c) */
    _Atomic int64_t since; /* the time at which the owner released the slot, in nanoseconds */
};

/* The state of small products on one device. All members must be zero before coalesce_prepare,
 * except the members of `launcher` that coalesce_prepare requires. */
struct coalesce {
    struct coalesce_launcher launcher; /* starts no thread if the device belongs to a server */
    bool is_ready;                     /* coalesce_prepare was called: products may be computed */
    struct coalesce_block own_block;
    struct coalesce_block *block; /* own_block, or a block of memory shared with the server */
    struct direct *far;           /* the slots, which follow *block, if a server shares the block */
    struct coalesce_slots slots;
    struct coalesce_kept kept[COALESCE_SLOTS];
    atomic_bool abandoned; /* the device did not answer in time; perhaps it never will */
    /* users: count of threads whose products are in progress; pauses: count of threads in
     * coalesce_pause */
    atomic_int users, pauses;
    /* count of slots whose thread runs a signal handler or has left its product by longjmp */
    atomic_int suspended;
};

/* Starts the launcher thread if this process owns the device. Call it once, before any other
 * function here, with g->launcher.session, .device and .first set. */
void coalesce_prepare(struct coalesce *g);

/* Returns true if the open device can compute this product as a small product. Sets p->plan then,
 * and nothing else. */
bool coalesce_fits(const struct coalesce *g, struct direct_product *p);

/* Computes `count` products, at least 1, if all are small enough. Returns true if it has run the
 * products. *outcome is then OUTCOME_DONE, or the reason why some products failed. Returns false if
 * the caller must use session_run instead. Any thread of the program may call it, between
 * signal_guard_begin and signal_guard_end. */
bool coalesce_products(struct coalesce *g, struct direct_product *p, unsigned count,
                       enum outcome *outcome);

/* coalesce_pause stops new products from starting, and waits for running products to end. Returns
 * false if event_clock reaches `end` before that. coalesce_resume admits new products again. */
bool coalesce_pause(struct coalesce *g, int64_t end);
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

/* Waits until the device is open for small products; the first call opens it. Returns false if that
 * fails. */
bool coalesce_wait_open(struct coalesce *g);

/* Marks products, whose operands are already in their slots, as pending and wakes the launcher. */
void coalesce_submit(struct coalesce *g, const struct direct_product *p, unsigned count);

/* A thread's wait for a free slot. */
struct coalesce_patience {
    struct coalesce *g;
    /* The time limit of the wait. It restarts whenever a slot is freed. */
    struct executor_patience patience;
    unsigned freed; /* count of freed slots at the last check */
};

/* Called regularly while a thread waits for a slot. If a server owns the device and makes no
 * progress in time, stops using the device and returns false. */
bool coalesce_is_patient(struct coalesce_patience *p);

/* Waits until the product in the slot has ended. Spins first, then asks the launcher to wait by a
 * driver call, and sleeps. Returns false if another thread has freed the slot (*is_gone). If the
 * device does not answer, stops using the device and returns false. */
bool coalesce_wait_ended(struct coalesce *g, unsigned slot, const bool *is_gone);

/* Returns true if the launcher no longer uses the slot. Otherwise asks the launcher to wait for the
 * product by a driver call, and returns false at once. */
bool coalesce_has_ended(struct coalesce *g, unsigned slot);

/* Ends the product in the slot and returns the status that the launcher reported. Call it after
 * coalesce_wait_ended or coalesce_has_ended has returned true. */
enum gpu_status coalesce_end(struct coalesce *g, unsigned slot);

#endif
