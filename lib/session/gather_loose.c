/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Who owns a slot of a small product: the thread that submitted the product; no thread while it
 * runs a signal handler; or another thread that frees the slot. */
#include "config.h"

#include "lib/session/gather_loose.h"

#include "lib/base/conf.h"
#include "lib/process/hold.h"

enum { KEPT, LOOSE, REAPED, KINDS };

/* Returns the value of `owner` for a slot that its thread has released before a signal handler.
 * It contains the product's ticket, because the slot may serve several products during a long
 * handler. */
static unsigned loose_by(const struct direct_product *p) {
    return p->ticket * KINDS + LOOSE;
}

/* Releases the thread's slots before a signal handler runs. Counts them as loose before it stops
 * counting the thread as a user, because gather_hold waits for both counts, and they must not
 * both be 0 in between. */
static bool let_go(void *wait) {
    struct gather_wait *w = wait;
    for (unsigned i = w->next; i < w->count; i++) {
        if (w->p[i].slot == GATHER_SLOTS)
            continue;
        struct gather_kept *r = &w->g->kept[w->p[i].slot];
        atomic_store(&r->since, event_clock());
        atomic_fetch_add(&w->g->loose, 1);
        atomic_store(&r->owner, loose_by(&w->p[i]));
    }
    atomic_fetch_sub(&w->g->users, 1);
    return true;
}

static bool change(struct gather *g, struct gather_kept *r, unsigned loose, unsigned next) {
    if (!atomic_compare_exchange_strong(&r->owner, &loose, next))
        return false;
    if (next == KEPT)
        atomic_fetch_sub(&g->loose, 1);
    return true;
}

static bool take_back(void *wait) {
    struct gather_wait *w = wait;
    atomic_fetch_add(&w->g->users, 1);
    for (unsigned i = w->next; i < w->count; i++)
        if (w->p[i].slot != GATHER_SLOTS &&
            !change(w->g, &w->g->kept[w->p[i].slot], loose_by(&w->p[i]), KEPT))
            w->p[i].slot = GATHER_SLOTS;
    w->is_gone = w->p[w->next].slot == GATHER_SLOTS;
    return !w->is_gone;
}

void gather_loose_begin(struct gather_wait *w) {
    w->window = (struct signal_window){.let_go = let_go, .take_back = take_back, .of = w};
    signal_guard_push(&w->window);
}

void gather_loose_end(struct gather_wait *w) {
    signal_guard_pop(&w->window);
}

/* Ends the product of a slot whose thread has left, and frees the slot. */
static void give_back(struct gather *g, unsigned slot) {
    gather_end(g, slot);
    if (mpgpu_conf.clear)
        direct_wipe(gather_direct(g), slot);
    gather_slots_give(&g->slots, slot);
    atomic_fetch_sub(&g->loose, 1);
}

void gather_loose_reap(struct gather *g) {
    int64_t now = gather_loose_are_any(g) ? event_clock() : 0;
    for (unsigned slot = 0; slot < GATHER_SLOTS && now; slot++) {
        struct gather_kept *r = &g->kept[slot];
        const unsigned owner = atomic_load(&r->owner);
        bool is_late = owner % KINDS == LOOSE && now - atomic_load(&r->since) > HOLD_PATIENCE_NS;
        if (is_late && gather_has_ended(g, slot) && change(g, r, owner, REAPED))
            give_back(g, slot);
    }
}

bool gather_loose_are_any(struct gather *g) {
    return atomic_load(&g->loose) > 0;
}
