/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads: the way of one through its slot, and who is kept out. */
#include "config.h"

#include "lib/session/gather.h"

#include <stdatomic.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/process/signal_guard.h"
#include "lib/session/gather_slots.h"
#include "lib/session/gather_thread.h"
#include "lib/session/session_state.h"
#include "lib/session/streams.h"

static atomic_int users, holders; /* threads with a product under way; who keeps them out */

void gather_prepare(void) {
    static const struct gather_session session = {session_is_open, session_fault, session_abandon,
                                                  session_leave_alone, session_end_badly};
    gather_thread_start(&session);
}

/* They come in first and look then; a holder does the opposite.  False: it is the end. */
static bool enter(void) {
    struct backoff b = {0};
    for (;;) {
        atomic_fetch_add(&users, 1);
        if (!atomic_load(&holders))
            return true;
        atomic_fetch_sub(&users, 1);
        if (!session_is_open())
            return false;
        backoff_nap(&b);
        signal_guard_let_pass();
    }
}

static bool is_at_work(void) {
    return atomic_load(&users) > 0 || gather_thread_is_at_work();
}

bool gather_hold(int seconds) {
    int64_t end = event_clock() + seconds * (int64_t)1000000000;
    struct backoff b = {0};
    atomic_fetch_add(&holders, 1);
    while (is_at_work()) {
        if (event_clock() >= end) {
            gather_go_on();
            return false;
        }
        backoff_nap(&b);
    }
    return true;
}

void gather_go_on(void) {
    atomic_fetch_sub(&holders, 1);
}

/* A wrong result, or what the device has said. */
static enum outcome judge(struct direct_product *p, enum gpu_status status) {
    if (status == GPU_OK && direct_deliver(gather_thread_context(), p) == GPU_OK)
        return OUTCOME_DONE;
    if (status == GPU_OK)
        session_fault();
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* What has become of one that has ended; its slot is free then. */
static enum outcome finish_one(struct direct_product *p, struct gather_request *r) {
    double ended = stats_on ? stats_clock() : 0;
    enum outcome outcome = judge(p, gather_thread_end(r));
    stats_times.download += stats_on ? stats_clock() - ended : 0;
    stats_times.ways[STATS_BLOCK] += outcome == OUTCOME_DONE;
    if (mpgpu_conf.clear)
        direct_wipe(gather_thread_context(), p->slot);
    gather_slots_give(p->slot);
    return outcome;
}

/* In their slots, loaded.  One that the device may yet write to is never given back. */
static enum outcome submit(struct direct_product *p, unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    gather_thread_submit(p, count);
    for (unsigned i = 0; i < count; i++) {
        struct gather_request *r = gather_thread_request(p[i].slot);
        double start = stats_on ? stats_clock() : 0;
        if (!gather_thread_wait(r))
            return OUTCOME_FAILED;
        stats_times.kernels += stats_on ? stats_clock() - start : 0;
        enum outcome one = finish_one(&p[i], r);
        outcome = outcome == OUTCOME_DONE ? one : outcome;
    }
    return outcome;
}

/* Slots for the first of them, as many as there are; for one it waits.  0: it is the end. */
static unsigned take_slots(struct direct_product *p, unsigned count) {
    unsigned taken = 0;
    do
        p[taken].slot = taken == 0 ? gather_slots_take(session_is_open) : gather_slots_try();
    while (p[taken].slot != GATHER_SLOTS && ++taken < count);
    if (taken > 0 && !session_is_open()) /* and what the device may yet write is nobody's */
        while (taken > 0)
            gather_slots_give(p[--taken].slot);
    return taken;
}

static enum outcome run(struct direct_product *p, unsigned count) {
    double start = stats_on ? stats_clock() : 0;
    unsigned taken = take_slots(p, count);
    if (taken == 0)
        return OUTCOME_NONE;
    for (unsigned i = 0; i < taken; i++)
        direct_load(gather_thread_context(), &p[i]);
    stats_times.upload += stats_on ? stats_clock() - start : 0;
    enum outcome outcome = submit(p, taken);
    return outcome == OUTCOME_DONE && taken < count ? run(p + taken, count - taken) : outcome;
}

/* Inside.  An opening that does not come to an end is these products' failure. */
static bool serve_products(struct direct_product *p, unsigned count, enum outcome *outcome) {
    if (!session_is_open())
        return false;
    *outcome = gather_thread_open()           ? run(p, count)
               : gather_thread_is_abandoned() ? OUTCOME_FAILED
                                              : OUTCOME_MEMORY;
    return *outcome != OUTCOME_MEMORY || !session_is_open();
}

bool gather_fits(struct direct_product *p) {
    return session_is_open() && gather_thread_is_there() &&
           direct_plan(&streams_get(0)->context, p);
}

/* Plans for all; one of all sizes, so that they go in one launch. */
static bool plan(struct direct_product *p, unsigned count) {
    unsigned log_n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!direct_plan(&streams_get(0)->context, &p[i]))
            return false;
        log_n = p[i].plan.log_n > log_n ? p[i].plan.log_n : log_n;
    }
    for (unsigned i = 0; i < count; i++)
        p[i].plan.log_n = log_n;
    return true;
}

/* Where memory does not suffice, the other way has that of all streams. */
static bool ask(struct direct_product *p, unsigned count, enum outcome *outcome) {
    *outcome = session_question();
    if (*outcome != OUTCOME_DONE)
        return true;
    if (!gather_thread_is_there() || !plan(p, count) || !enter())
        return false;
    bool serves = serve_products(p, count, outcome);
    atomic_fetch_sub(&users, 1);
    return serves;
}

bool gather_products(struct direct_product *p, unsigned count, enum outcome *outcome) {
    struct signal_guard before;
    signal_guard_begin(&before);
    bool serves = ask(p, count, outcome);
    signal_guard_end(&before);
    return serves;
}
