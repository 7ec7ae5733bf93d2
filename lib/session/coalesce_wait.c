/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How threads of the program send small products to the launcher, and wait for the results. */
#include "config.h"

#include <string.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/process/backoff.h"
#include "lib/process/interrupted.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/session/coalesce.h"

static bool launcher_is_in_server(const struct coalesce *g) {
    return context_runs_jobs(g->launcher.first);
}

/* ---- functions for a server's device: the first thread that needs slots makes the server open
 * them */

struct slots_wait {
    struct executor_patience patience;
    struct backoff nap;
};

/* Called regularly while the server opens the slots. Runs no signal handler of the program, because
 * other threads wait for this thread. */
static enum gpu_served wait_for_slots(void *wait, int64_t unused) {
    struct slots_wait *w = wait;
    /* `unused` is the longest time to wait here; this function never waits that long */
    (void)unused;
    backoff_nap(&w->nap);
    signal_guard_take_defaults();
    return executor_patience_is_over(&w->patience) ? GPU_SERVED_LEFT : GPU_SERVED_NOTHING;
}

static enum gpu_status open_server_slots(struct coalesce *g) {
    const struct gpu_device *dev = &g->launcher.first->dev;
    struct gpu_sent sent;
    void *host;
    uint64_t region, offset;
    bool is_watched;
    enum gpu_status status = dev->backend->host_alloc(
        dev->impl, COALESCE_BLOCK_BYTES + direct_host_bytes(COALESCE_SLOTS), &host);
    if (status != GPU_OK)
        return status;
    memset(host, 0, sizeof(struct coalesce_block));
    g->block = host;
    g->block->wants_clear = mpgpu_conf.clear;
    g->far = direct_begin(&dev->caps, (char *)host + COALESCE_BLOCK_BYTES, COALESCE_SLOTS);
    status = g->far && dev->backend->locate(host, 1, &region, &offset) ? GPU_OK : GPU_NOMEM;
    struct slots_wait wait = {executor_patience_begin(&g->block->watch, mpgpu_conf.watchdog),
                              {.spin_ns = executor_spin_ns()}};
    if (status == GPU_OK)
        status =
            dev->backend->open_slots(dev->impl, offset, &is_watched, &sent, wait_for_slots, &wait);
    if (status == GPU_OK)
        g->far->is_watched = is_watched;
    return status;
}

/* Makes the server open the slots, and wakes the threads that wait until the slots are open. If
 * opening fails, small products are computed by session_run instead. */
static enum gpu_status open_server_slots_and_post(struct coalesce *g) {
    enum gpu_status status = coalesce_launcher_has_room() ? open_server_slots(g) : GPU_NOMEM;
    atomic_store(&g->launcher.way, status == GPU_OK ? COALESCE_OPEN : COALESCE_FAILED);
    event_post(&g->launcher.opened);
    return status;
}

static void ring_launcher(struct coalesce *g) {
    struct coalesce_launcher *l = &g->launcher;
    if (launcher_is_in_server(g))
        l->first->dev.backend->ring_slots(l->first->dev.impl);
    else
        coalesce_launcher_ring(l);
}

/* ---- waiting */

static void wake_launcher(struct coalesce *g) {
    if (!atomic_exchange(&g->block->draining, 1))
        ring_launcher(g);
}

static bool abandon_waiting_device(struct coalesce *g, const bool *is_gone) {
    const struct coalesce_launcher *l = &g->launcher;
    if ((is_gone && *is_gone) || signal_guard_is_in_child() || shutdown_has_begun())
        return false;
    atomic_store(&g->abandoned, true);
    if (launcher_is_in_server(g) && gpu_served_is_lost())
        l->session->leave_alone(l->device, "mpgpu-serve has ended");
    else
        l->session->abandon(l->device);
    return false;
}

/* Waits for an event that the launcher posts. Returns false if the device does not answer in
 * time; the library then stops using the device. */
static bool wait_for(struct coalesce *g, struct event *e, unsigned value, const bool *is_gone) {
    const double seconds = mpgpu_conf.watchdog;
    const bool has_come =
        launcher_is_in_server(g)
            ? executor_wait_far(&g->block->watch, gpu_served_is_lost, e, value, seconds)
            : executor_wait_for(g->launcher.executor, e, value, seconds);
    return has_come || abandon_waiting_device(g, is_gone);
}

bool coalesce_is_patient(struct coalesce_patience *p) {
    struct coalesce *g = p->g;
    const unsigned freed = atomic_load(&g->slots.freed);
    if (!launcher_is_in_server(g))
        return true;
    if (p->patience.most == 0 || freed != p->freed)
        p->patience = executor_patience_begin(&g->block->watch, mpgpu_conf.watchdog);
    p->freed = freed;
    return !executor_patience_is_over(&p->patience) || abandon_waiting_device(g, NULL);
}

/* ---- functions that open the device for small products, which may take long because of
 * self-tests */

static bool stop_using_slots(void *coalesce) {
    struct coalesce *g = coalesce;
    atomic_fetch_sub(&g->users, 1);
    return true;
}

/* After a signal handler: counts the caller as a user of small products again. First waits while
 * another thread is in coalesce_pause. */
static bool count_user_again(void *coalesce) {
    struct coalesce *g = coalesce;
    struct backoff b = {0};
    atomic_fetch_add(&g->users, 1);
    while (atomic_load(&g->pauses) && g->launcher.session->is_open(g->launcher.device)) {
        atomic_fetch_sub(&g->users, 1);
        backoff_nap(&b);
        atomic_fetch_add(&g->users, 1);
    }
    return true;
}

/* Waits until the device is open for small products. If a server owns the device, another thread of
 * this process opens the slots. */
static bool wait_for_opening(struct coalesce *g, unsigned value) {
    struct coalesce_launcher *l = &g->launcher;
    if (!launcher_is_in_server(g))
        return executor_wait_for(l->executor, &l->opened, value, mpgpu_conf.watchdog);
    struct backoff b = {0};
    while (!backoff_wait(&b, &l->opened, value, SIGNAL_GUARD_LOOK_NS))
        if (!signal_guard_let_pass())
            return false;
    return true;
}

static void await_opening(struct coalesce *g, unsigned value) {
    struct signal_window window = {
        .suspend = stop_using_slots, .resume = count_user_again, .of = g};
    signal_guard_push(&window);
    if (!wait_for_opening(g, value))
        abandon_waiting_device(g, NULL);
    signal_guard_pop(&window);
}

bool coalesce_wait_open(struct coalesce *g) {
    struct coalesce_launcher *l = &g->launcher;
    unsigned value = event_count(&l->opened) + 1;
    if (atomic_load(&l->way) != COALESCE_CLOSED)
        return coalesce_is_open(g);
    /* opens nothing in a signal handler: opening calls malloc, which the signal may have
     * interrupted */
    if (launcher_is_in_server(g) && interrupted())
        return false;
    const bool is_first = !atomic_exchange(&l->wants_way, true);
    if (launcher_is_in_server(g) && is_first) {
        if (open_server_slots_and_post(g) == GPU_LEFT)
            abandon_waiting_device(g, NULL);
    } else {
        if (!launcher_is_in_server(g))
            ring_launcher(g);
        await_opening(g, value);
    }
    return coalesce_is_open(g);
}

/* ---- one product */

void coalesce_submit(struct coalesce *g, const struct direct_product *p, unsigned count) {
    uint32_t slots = 0;
    for (unsigned i = 0; i < count; i++) {
        struct coalesce_entry *e = &g->block->entry[p[i].slot];
        struct coalesce_kept *k = &g->kept[p[i].slot];
        k->product = p[i];
        k->posts = event_count(&e->ended);
        atomic_store(&k->owner, 0);
        e->item = direct_item(&p[i]);
        atomic_store(&e->is_late, false);
        atomic_store(&e->state, COALESCE_PENDING);
        slots |= 1u << p[i].slot;
    }
    atomic_fetch_or(&g->block->pending, slots);
    wake_launcher(g);
}

/* Returns true if the launcher has posted the event of this product. Freeing the slot earlier would
 * let this event wake the thread of the slot's next product. */
static bool has_answer(struct coalesce *g, unsigned slot) {
    return event_count(&g->block->entry[slot].ended) != g->kept[slot].posts;
}

static bool has_ended(struct coalesce *g, unsigned slot) {
    int state = atomic_load_explicit(&g->block->entry[slot].state, memory_order_acquire);
    return state == COALESCE_ENDED ? has_answer(g, slot)
                                   : state == COALESCE_LAUNCHED && coalesce_direct(g)->is_watched &&
                                         direct_is_done(coalesce_direct(g), &g->kept[slot].product);
}

static void ask_driver(struct coalesce *g, unsigned slot) {
    atomic_store(&g->block->entry[slot].is_late, true);
    atomic_fetch_or(&g->block->late, 1u << slot);
    wake_launcher(g);
}

/* Returns true only in the state COALESCE_ENDED, even if the host already sees the result, because
 * the launcher may still be reading the slot. */
bool coalesce_has_ended(struct coalesce *g, unsigned slot) {
    if (atomic_load(&g->block->entry[slot].state) == COALESCE_ENDED && has_answer(g, slot))
        return true;
    ask_driver(g, slot);
    return false;
}

/* Makes the launcher wait for the product by a driver call, and sleeps until the product has
 * ended. */
static bool sleep_until_end(struct coalesce *g, unsigned slot, const bool *is_gone) {
    struct event *ended = &g->block->entry[slot].ended;
    for (;;) {
        unsigned next = event_count(ended) + 1;
        if (has_ended(g, slot))
            return true;
        ask_driver(g, slot);
        if (!wait_for(g, ended, next, is_gone))
            return false;
    }
}

/* Waits as lib/session/coalesce.h describes. Clears the slot's `late` bit at the end, so that the
 * launcher does not wait for the slot's next product by a driver call. */
bool coalesce_wait_ended(struct coalesce *g, unsigned slot, const bool *is_gone) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    while (!has_ended(g, slot)) {
        if (backoff_spin(&b))
            continue;
        bool ended = sleep_until_end(g, slot, is_gone);
        /* a child of fork does not inherit the block shared with the server */
        if (*is_gone || signal_guard_is_in_child())
            return false;
        atomic_fetch_and(&g->block->late, ~(1u << slot));
        return ended;
    }
    return true;
}

enum gpu_status coalesce_end(struct coalesce *g, unsigned slot) {
    const struct coalesce_entry *e = &g->block->entry[slot];
    atomic_fetch_or(&g->block->ended, 1u << slot);
    return atomic_load(&e->state) == COALESCE_ENDED ? (enum gpu_status)atomic_load(&e->status)
                                                    : GPU_OK;
}
