/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads: the way of one through its slot, and who is kept out. */
#include "config.h"

#include "lib/session/gather.h"

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/process/signal_guard.h"
#include "lib/session/gather_loose.h"

void gather_prepare(struct gather *g) {
    gather_thread_start(g);
}

static bool is_open(const struct gather *g) {
    return g->session->is_open(g->device);
}

/* They come in first and look then; a holder does the opposite.  False: it is the end. */
static bool enter(struct gather *g) {
    struct backoff b = {0};
    for (;;) {
        atomic_fetch_add(&g->users, 1);
        if (!atomic_load(&g->holders))
            return true;
        atomic_fetch_sub(&g->users, 1);
        if (!is_open(g))
            return false;
        backoff_nap(&b);
        signal_guard_let_pass();
    }
}

static bool is_at_work(struct gather *g) {
    gather_loose_reap(g);
    return atomic_load(&g->users) > 0 || gather_loose_are_any(g) || gather_thread_is_at_work(g);
}

bool gather_hold(struct gather *g, int seconds) {
    int64_t end = event_clock() + seconds * (int64_t)1000000000;
    struct backoff b = {0};
    atomic_fetch_add(&g->holders, 1);
    while (is_at_work(g)) {
        if (event_clock() >= end) {
            gather_go_on(g);
            return false;
        }
        backoff_nap(&b);
    }
    return true;
}

void gather_go_on(struct gather *g) {
    atomic_fetch_sub(&g->holders, 1);
}

/* A wrong result, or what the device has said. */
static enum outcome judge(struct gather *g, struct direct_product *p, enum gpu_status status) {
    if (status == GPU_OK && direct_deliver(&g->context, p) == GPU_OK)
        return OUTCOME_DONE;
    if (status == GPU_OK)
        g->session->fault(g->device);
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* What has become of one that has ended; its slot is free then. */
static enum outcome finish_one(struct gather *g, struct direct_product *p,
                               struct gather_request *r) {
    double ended = stats_now();
    enum outcome outcome = judge(g, p, gather_thread_end(g, r));
    stats_here()->download += stats_now() - ended;
    stats_here()->ways[STATS_BLOCK] += outcome == OUTCOME_DONE;
    if (mpgpu_conf.clear)
        direct_wipe(&g->context, p->slot);
    gather_slots_give(&g->slots, p->slot);
    return outcome;
}

/* The next one.  Its slot may be gone, after a handler of the program that took long. */
static enum outcome wait_for_one(struct gather_wait *w) {
    struct direct_product *p = &w->p[w->next];
    double start = stats_now();
    if (p->slot == GATHER_SLOTS)
        return OUTCOME_FAILED;
    struct gather_request *r = &w->g->requests[p->slot];
    w->is_gone = false;
    if (!gather_thread_wait(w->g, r, &w->is_gone))
        return OUTCOME_FAILED;
    stats_here()->kernels += stats_now() - start;
    return finish_one(w->g, p, r);
}

/* In their slots, loaded.  One that the device may yet write to is never given back. */
static enum outcome submit(struct gather *g, struct direct_product *p, unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    struct gather_wait w = {.g = g, .p = p, .count = count};
    gather_thread_submit(g, p, count);
    gather_loose_begin(&w);
    for (unsigned i = 0; i < count; i++)
        direct_expect(&g->context, &p[i]);
    for (; w.next < count; w.next++) {
        enum outcome one = wait_for_one(&w);
        outcome = outcome == OUTCOME_DONE ? one : outcome;
        if (gather_thread_is_abandoned(g))
            break;
    }
    gather_loose_end(&w);
    return outcome;
}

/* Slots of threads that have left go to those that wait. */
static bool is_open_to_all(void *gather) {
    gather_loose_reap(gather);
    return is_open(gather);
}

/* Slots for the first of them, as many as there are; for one it waits.  0: it is the end. */
static unsigned take_slots(struct gather *g, struct direct_product *p, unsigned count) {
    unsigned taken = 0;
    do
        p[taken].slot = taken == 0 ? gather_slots_take(&g->slots, is_open_to_all, g)
                                   : gather_slots_try(&g->slots);
    while (p[taken].slot != GATHER_SLOTS && ++taken < count);
    if (taken > 0 && !is_open(g)) /* and what the device may yet write is nobody's */
        while (taken > 0)
            gather_slots_give(&g->slots, p[--taken].slot);
    return taken;
}

static enum outcome run(struct gather *g, struct direct_product *p, unsigned count) {
    double start = stats_now();
    struct signal_window window = {.let_go = signal_guard_never};
    signal_guard_push(&window); /* it has a place among those that wait */
    unsigned taken = take_slots(g, p, count);
    signal_guard_pop(&window);
    if (taken == 0)
        return OUTCOME_NONE;
    for (unsigned i = 0; i < taken; i++)
        direct_load(&g->context, &p[i]);
    stats_here()->upload += stats_now() - start;
    enum outcome outcome = submit(g, p, taken);
    return outcome == OUTCOME_DONE && taken < count ? run(g, p + taken, count - taken) : outcome;
}

/* Inside.  An opening that does not come to an end is these products' failure. */
static bool serve_products(struct gather *g, struct direct_product *p, unsigned count,
                           enum outcome *outcome) {
    if (!is_open(g))
        return false;
    *outcome = gather_thread_open(g)           ? run(g, p, count)
               : gather_thread_is_abandoned(g) ? OUTCOME_FAILED
                                               : OUTCOME_MEMORY;
    return *outcome != OUTCOME_MEMORY || !is_open(g);
}

bool gather_fits(const struct gather *g, struct direct_product *p) {
    return is_open(g) && gather_thread_is_there(g) && direct_plan(g->first, p);
}

/* Plans for all; one of all sizes, so that they go in one launch. */
static bool plan(const struct gather *g, struct direct_product *p, unsigned count) {
    unsigned log_n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!direct_plan(g->first, &p[i]))
            return false;
        log_n = p[i].plan.log_n > log_n ? p[i].plan.log_n : log_n;
    }
    for (unsigned i = 0; i < count; i++)
        p[i].plan.log_n = log_n;
    return true;
}

/* Where memory does not suffice, the other way has that of all streams. */
bool gather_products(struct gather *g, struct direct_product *p, unsigned count,
                     enum outcome *outcome) {
    if (!gather_thread_is_there(g) || !plan(g, p, count) || !enter(g))
        return false;
    bool serves = serve_products(g, p, count, outcome);
    atomic_fetch_sub(&g->users, 1);
    return serves;
}
