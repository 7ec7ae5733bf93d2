/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Records who owns the slot of a small product: its thread; nobody, while that thread runs a signal
 * handler; or another thread that frees the slot. */
#include "config.h"

#include "lib/session/coalesce_signals.h"

#include "lib/base/conf.h"
#include "lib/process/lease.h"

enum { KEPT, LOOSE, REAPED, KINDS };

/* Returns the value of `owner` for a slot whose thread runs a signal handler. It contains the
 * product's ticket, because the slot may serve several products during a long handler. */
static unsigned suspended_by(const struct direct_product *p) {
    return p->ticket * KINDS + LOOSE;
}

/* Releases the thread's slots before a signal handler runs. Counts the slots as suspended before it
 * stops counting the thread as a user: otherwise coalesce_pause could see both counts as 0. */
static bool suspend_slots(void *wait) {
    struct coalesce_wait *w = wait;
    for (unsigned i = w->next; i < w->count; i++) {
        if (w->p[i].slot == COALESCE_SLOTS)
            continue;
        struct coalesce_kept *r = &w->g->kept[w->p[i].slot];
        atomic_store(&r->since, event_clock());
        atomic_fetch_add(&w->g->suspended, 1);
        atomic_store(&r->owner, suspended_by(&w->p[i]));
    }
    atomic_fetch_sub(&w->g->users, 1);
    return true;
}

static bool change_slot_owner(struct coalesce *g, struct coalesce_kept *r, unsigned suspended,
                              unsigned next) {
    if (!atomic_compare_exchange_strong(&r->owner, &suspended, next))
        return false;
    if (next == KEPT)
        atomic_fetch_sub(&g->suspended, 1);
    return true;
}

static bool resume_slots(void *wait) {
    struct coalesce_wait *w = wait;
    atomic_fetch_add(&w->g->users, 1);
    for (unsigned i = w->next; i < w->count; i++)
        if (w->p[i].slot != COALESCE_SLOTS &&
            !change_slot_owner(w->g, &w->g->kept[w->p[i].slot], suspended_by(&w->p[i]), KEPT))
            w->p[i].slot = COALESCE_SLOTS;
    w->is_gone = w->p[w->next].slot == COALESCE_SLOTS;
    return !w->is_gone;
}

void coalesce_signals_begin(struct coalesce_wait *w) {
    w->window = (struct signal_window){.suspend = suspend_slots, .resume = resume_slots, .of = w};
    signal_guard_push(&w->window);
}

void coalesce_signals_end(struct coalesce_wait *w) {
    signal_guard_pop(&w->window);
}

/* Ends the product of a slot whose thread has abandoned it (by longjmp, or by a handler that took
 * too long), and frees the slot. */
static void free_slot(struct coalesce *g, unsigned slot) {
    coalesce_end(g, slot);
    if (mpgpu_conf.clear)
        direct_wipe(coalesce_direct(g), slot);
    coalesce_slots_give(&g->slots, slot);
    atomic_fetch_sub(&g->suspended, 1);
}

void coalesce_signals_reap(struct coalesce *g) {
    int64_t now = coalesce_signals_any_suspended(g) ? event_clock() : 0;
    for (unsigned slot = 0; slot < COALESCE_SLOTS && now; slot++) {
        struct coalesce_kept *r = &g->kept[slot];
        const unsigned owner = atomic_load(&r->owner);
        bool is_late = owner % KINDS == LOOSE && now - atomic_load(&r->since) > LEASE_PATIENCE_NS;
        if (is_late && coalesce_has_ended(g, slot) && change_slot_owner(g, r, owner, REAPED))
            free_slot(g, slot);
    }
}

bool coalesce_signals_any_suspended(struct coalesce *g) {
    return atomic_load(&g->suspended) > 0;
}
