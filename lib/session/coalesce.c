/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of several threads together on one device: takes slots, submits products,
 * and checks results. Also contains coalesce_pause, which stops all small products for some
 * time. */
#include "config.h"

#include "lib/session/coalesce.h"

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/process/backoff.h"
#include "lib/process/signal_guard.h"
#include "lib/session/coalesce_signals.h"

void coalesce_prepare(struct coalesce *g) {
    g->block = &g->own_block;
    g->launcher.own.block = &g->own_block;
    g->is_ready = context_runs_jobs(g->launcher.first) || coalesce_launcher_start(&g->launcher);
}

static bool is_open(const struct coalesce *g) {
    return g->launcher.session->is_open(g->launcher.device);
}

bool coalesce_is_open(struct coalesce *g) {
    return coalesce_launcher_is_open(&g->launcher);
}

/* Counts the calling thread as a user of the device's small products. Waits while another thread is
 * in coalesce_pause. Returns false if the device is no longer open. */
static bool count_small_product_user(struct coalesce *g) {
    struct backoff b = {0};
    for (;;) {
        /* This thread writes `users`, then reads `pauses`. coalesce_pause writes `pauses`, then
         * reads `users`. So at least one of the two threads sees the other. */
        atomic_fetch_add(&g->users, 1);
        if (!atomic_load(&g->pauses))
            return true;
        atomic_fetch_sub(&g->users, 1);
        if (!is_open(g))
            return false;
        backoff_nap(&b);
        signal_guard_let_pass();
    }
}

static bool is_at_work(struct coalesce *g) {
    coalesce_signals_reap(g);
    return atomic_load(&g->users) > 0 || coalesce_signals_any_suspended(g) ||
           (atomic_load(&g->launcher.draining) && !atomic_load(&g->abandoned));
}

bool coalesce_pause(struct coalesce *g, int64_t end) {
    struct backoff b = {0};
    atomic_fetch_add(&g->pauses, 1);
    coalesce_launcher_pause(&g->launcher);
    while (is_at_work(g)) {
        if (event_clock() >= end) {
            coalesce_resume(g);
            return false;
        }
        backoff_nap(&b);
    }
    return true;
}

void coalesce_resume(struct coalesce *g) {
    coalesce_launcher_resume(&g->launcher);
    atomic_fetch_sub(&g->pauses, 1);
}

void coalesce_trim(struct coalesce *g) {
    coalesce_launcher_trim(&g->launcher);
}

/* Returns OUTCOME_DONE if the product was computed and passes the check. Otherwise counts a fault
 * of the device, unless the failure has another cause. */
static enum outcome deliver_or_count_fault(struct coalesce *g, struct direct_product *p,
                                           enum gpu_status status) {
    const struct direct *d = coalesce_direct(g);
    if (status == GPU_OK && (!d->is_watched || direct_is_done(d, p)) &&
        direct_deliver(d, p) == GPU_OK)
        return OUTCOME_DONE;
    /* This process counts wrong results, and failures of a server's device (g->far). If this
     * process owns the device, the launcher has already reported failures to the session. */
    if (status == GPU_OK || (status == GPU_FAILED && g->far))
        g->launcher.session->fault(g->launcher.device);
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* Checks a product that has ended, copies its result to the program, and frees its slot. */
static enum outcome finish_one(struct coalesce *g, struct direct_product *p) {
    double ended = stats_now();
    enum outcome outcome = deliver_or_count_fault(g, p, coalesce_end(g, p->slot));
    stats_here()->download += stats_now() - ended;
    stats_here()->ways[STATS_BLOCK] += outcome == OUTCOME_DONE;
    if (mpgpu_conf.clear)
        direct_wipe(coalesce_direct(g), p->slot);
    coalesce_slots_give(&g->slots, p->slot);
    return outcome;
}

/* Waits for the thread's next product and delivers it. Fails if the product has lost its slot
 * because a signal handler ran for too long. */
static enum outcome wait_for_one(struct coalesce_wait *w) {
    struct direct_product *p = &w->p[w->next];
    double start = stats_now();
    if (p->slot == COALESCE_SLOTS)
        return OUTCOME_FAILED;
    w->is_gone = false;
    if (!coalesce_wait_ended(w->g, p->slot, &w->is_gone))
        return OUTCOME_FAILED;
    stats_here()->kernels += stats_now() - start;
    return finish_one(w->g, p);
}

/* Submits products, whose operands are already in their slots, and waits for all results. A slot to
 * which the device may still write is never freed. */
static enum outcome submit_and_await_products(struct coalesce *g, struct direct_product *p,
                                              unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    struct coalesce_wait w = {.g = g, .p = p, .count = count};
    coalesce_submit(g, p, count);
    coalesce_signals_begin(&w);
    for (unsigned i = 0; i < count; i++)
        direct_expect(coalesce_direct(g), &p[i]);
    for (; w.next < count; w.next++) {
        enum outcome one = wait_for_one(&w);
        outcome = outcome == OUTCOME_DONE ? one : outcome;
        if (atomic_load(&g->abandoned) || signal_guard_is_in_child())
            break;
    }
    coalesce_signals_end(&w);
    return outcome;
}

/* Called during a wait for a slot. Frees the slots of products that their threads have abandoned in
 * a signal handler. Returns false if the device is no longer used. */
static bool is_open_to_all(void *patience) {
    struct coalesce_patience *p = patience;
    coalesce_signals_reap(p->g);
    return is_open(p->g) && coalesce_is_patient(p);
}

/* Waits for one slot, then takes further slots only if they are free. Returns the number of slots;
 * 0 if the device is no longer open. */
static unsigned take_slots(struct coalesce *g, struct direct_product *p, unsigned count) {
    unsigned taken = 0;
    struct coalesce_patience patience = {.g = g};
    do
        p[taken].slot = taken == 0 ? coalesce_slots_take(&g->slots, is_open_to_all, &patience)
                                   : coalesce_slots_try(&g->slots);
    while (p[taken].slot != COALESCE_SLOTS && ++taken < count);
    /* If the device is no longer used, takes no slots: a kernel that is still running may write to
     * them. */
    if (taken > 0 && !is_open(g))
        while (taken > 0)
            coalesce_slots_give(&g->slots, p[--taken].slot);
    return taken;
}

static enum outcome run_products_in_slots(struct coalesce *g, struct direct_product *p,
                                          unsigned count) {
    double start = stats_now();
    struct signal_window window = {.suspend = signal_guard_never};
    /* Signal handlers of the program must wait until the thread has slots. A handler would make the
     * thread lose its place in the queue for slots. */
    signal_guard_push(&window);
    unsigned taken = take_slots(g, p, count);
    signal_guard_pop(&window);
    if (taken == 0)
        return OUTCOME_NONE;
    for (unsigned i = 0; i < taken; i++)
        direct_load(coalesce_direct(g), &p[i]);
    stats_here()->upload += stats_now() - start;
    enum outcome outcome = submit_and_await_products(g, p, taken);
    return outcome == OUTCOME_DONE && taken < count
               ? run_products_in_slots(g, p + taken, count - taken)
               : outcome;
}

/* Opens the device for small products and runs the products. Returns false if the caller must use
 * session_run instead. */
static bool serve_products(struct coalesce *g, struct direct_product *p, unsigned count,
                           enum outcome *outcome) {
    if (!is_open(g))
        return false;
    *outcome = coalesce_wait_open(g)        ? run_products_in_slots(g, p, count)
               : atomic_load(&g->abandoned) ? OUTCOME_FAILED
                                            : OUTCOME_MEMORY;
    return *outcome != OUTCOME_MEMORY || !is_open(g);
}

bool coalesce_fits(const struct coalesce *g, struct direct_product *p) {
    return is_open(g) && g->is_ready && direct_plan(g->launcher.first, p);
}

/* Chooses one plan for all products, the plan of the largest product, so that one launch can
 * compute them. Returns false if a product is too large, or if the server would refuse the plan. */
static bool plan_common_size(const struct coalesce *g, struct direct_product *p, unsigned count) {
    unsigned log_n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!direct_plan(g->launcher.first, &p[i]))
            return false;
        log_n = p[i].plan.log_n > log_n ? p[i].plan.log_n : log_n;
    }
    for (unsigned i = 0; i < count; i++)
        p[i].plan.log_n = log_n;
    const struct context *s = g->launcher.first;
    return !context_runs_jobs(s) || small_plan_is_usual(&(struct small_plan){log_n}, &s->dev.caps);
}

/* Returns false if there is too little memory for small products. The caller then uses
 * session_run, which can use the memory of all streams. */
bool coalesce_products(struct coalesce *g, struct direct_product *p, unsigned count,
                       enum outcome *outcome) {
    if (!g->is_ready || !plan_common_size(g, p, count) || !count_small_product_user(g))
        return false;
    bool serves = serve_products(g, p, count, outcome);
    atomic_fetch_sub(&g->users, 1);
    return serves;
}
