/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches gathered products: its context, its queues, and what has come. */
#include "config.h"

#include "lib/session/gather_thread.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/signal_guard.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/opener.h"
#include "lib/session/settle.h"

enum { MEMORY_FRACTION = 16 }; /* of what the option allows, at most a sixteenth */

/* ---- in that thread */

static enum gpu_status open_queues(struct gather *g) {
    enum gpu_status status = GPU_OK;
    g->queues[0] = g->context.queue;
    for (int i = 1; i < GATHER_QUEUES && status == GPU_OK; i++)
        status = gpu_queue_open(&g->context.dev, &g->queues[i]);
    return status;
}

static void close_context(struct gather *g) {
    for (int i = 1; i < GATHER_QUEUES; i++)
        if (g->queues[i].impl)
            gpu_queue_close(&g->queues[i]);
    g->context.queue = g->queues[0];
    memset(g->queues, 0, sizeof g->queues);
    opener_close(&g->context);
}

/* Where little memory is allowed, larger operations have it. */
static bool has_room(void) {
    return mpgpu_conf.memory == 0 ||
           mpgpu_conf.memory / MEMORY_FRACTION >= direct_bytes(GATHER_SLOTS + 1);
}

static void open_way(struct gather *g) {
    char text[256] = "little memory is allowed";
    bool failed_test = false;
    enum gpu_status status = has_room() ? opener_open_small(g->first, &g->context, GATHER_SLOTS + 1,
                                                            &failed_test, text, sizeof text)
                                        : GPU_NOMEM;
    if (status == GPU_OK) {
        status = open_queues(g);
        status = status == GPU_OK ? direct_open(&g->context) : status;
        if (status != GPU_OK)
            close_context(g);
    }
    mpgpu_log(LOG_INFO, "small products: %s%s%s", text, status == GPU_OK ? "" : ": ",
              status == GPU_OK ? "" : gpu_status_text(status));
    if (failed_test) {
        g->session->fault(g->device);
        g->session->leave_alone(g->device, "it failed a known-answer test");
    }
    atomic_store(&g->way, status == GPU_OK ? GATHER_OPEN : GATHER_FAILED);
    event_post(&g->opened);
}

static void end(struct gather_request *r, enum gpu_status status) {
    r->status = status;
    atomic_store(&r->state, GATHER_ENDED);
    event_post(&r->ended);
}

/* Does the queue have to be finished after a launch? */
static bool is_waited_for(const struct gather *g) {
    return !direct_is_watched(&g->context) || mpgpu_conf.clear;
}

static enum gpu_status finish(struct gather *g) {
    enum gpu_status status = mpgpu_conf.clear ? context_clear(&g->context) : GPU_OK;
    enum gpu_status finished = gpu_finish(&g->context.queue);
    return status == GPU_OK ? finished : status;
}

/* After a failure: nothing that this launch has begun is under way any more. */
static void fail(struct gather *g, enum gpu_status status) {
    for (int i = 0; i < GATHER_QUEUES; i++)
        gpu_finish(&g->queues[i]);
    g->session->end_badly(g->device, &g->context, status);
    if (g->session->is_open(g->device) && settle_and_wipe(&g->context) != GPU_OK)
        g->session->fault(g->device);
}

/* Requests of one plan, up to SMALL_ITEMS. */
struct launch {
    struct gather_request *request[SMALL_ITEMS];
    struct direct_product *product[SMALL_ITEMS];
    unsigned count;
};

/* What the plan needs is there before any queue uses it. */
static enum gpu_status prepare(struct gather *g, const struct small_plan *p) {
    bool was_ready = g->context.slot[SLOT_SMALL].is_ready;
    g->context.queue = g->queues[0];
    enum gpu_status status = verified_plan_small(&g->context, p);
    return status == GPU_OK && !was_ready && p->log_n > 0 ? gpu_finish(&g->context.queue) : status;
}

/* The first with the fewest products. */
static unsigned choose_queue(const struct gather *g) {
    unsigned best = 0;
    for (unsigned i = 1; i < GATHER_QUEUES; i++)
        if (atomic_load(&g->load[i]) < atomic_load(&g->load[best]))
            best = i;
    return best;
}

static void carry_out(struct gather *g, struct launch *l) {
    unsigned queue = choose_queue(g);
    enum gpu_status status = prepare(g, &l->product[0]->plan);
    if (status == GPU_OK)
        context_tell(&g->context);
    g->context.queue = g->queues[queue];
    for (unsigned i = 0; i < l->count; i++)
        l->request[i]->queue = queue;
    atomic_fetch_add(&g->load[queue], (int)l->count);
    if (status == GPU_OK)
        status = direct_launch(&g->context, l->product, l->count);
    if (status == GPU_OK && is_waited_for(g))
        status = finish(g);
    if (status != GPU_OK)
        fail(g, status);
    for (unsigned i = 0; i < l->count; i++) {
        if (status != GPU_OK || is_waited_for(g))
            end(l->request[i], status);
        else
            atomic_store(&l->request[i]->state, GATHER_LAUNCHED);
    }
}

/* Those of `slots` with the plan of the first; returns the others. */
static uint32_t choose(struct gather *g, uint32_t slots, struct launch *l) {
    uint32_t others = 0;
    l->count = 0;
    for (; slots; slots &= slots - 1) {
        struct gather_request *r = &g->requests[__builtin_ctz(slots)];
        bool fits = l->count == 0 ||
                    (l->count < SMALL_ITEMS && r->product.plan.log_n == l->product[0]->plan.log_n);
        if (!fits) {
            others |= slots & -slots;
            continue;
        }
        atomic_store(&r->state, GATHER_LAUNCHING);
        l->request[l->count] = r;
        l->product[l->count++] = &r->product;
    }
    return others;
}

/* The driver knows of errors, and sleeps. */
static void look(struct gather *g, struct gather_request *r) {
    if (!atomic_load(&r->is_late) || atomic_load(&r->state) != GATHER_LAUNCHED)
        return;
    enum gpu_status status = gpu_finish(&g->queues[r->queue]);
    if (status == GPU_OK && !direct_is_done(&g->context, &r->product))
        status = GPU_FAILED;
    if (status != GPU_OK)
        fail(g, status);
    end(r, status);
}

/* Who is late was pending before. */
static bool serve(struct gather *g) {
    uint32_t waiting = atomic_exchange(&g->late, 0), slots = atomic_exchange(&g->pending, 0);
    bool any = (waiting | slots) != 0;
    struct launch l;
    if (atomic_exchange(&g->wants_way, false) && atomic_load(&g->way) == GATHER_CLOSED)
        open_way(g);
    while (slots) {
        slots = choose(g, slots, &l);
        carry_out(g, &l);
    }
    for (; waiting; waiting &= waiting - 1)
        look(g, &g->requests[__builtin_ctz(waiting)]);
    return any;
}

static bool is_asked(struct gather *g) {
    return (atomic_load(&g->pending) | atomic_load(&g->late)) != 0 || atomic_load(&g->wants_way);
}

static void drain(void *gather) {
    struct gather *g = gather;
    do {
        while (serve(g))
            continue;
        atomic_store(&g->draining, 0);
    } while (is_asked(g) && !atomic_exchange(&g->draining, 1));
}

static void wake(struct gather *g) {
    if (!atomic_exchange(&g->draining, 1))
        executor_post(g->executor, drain, g);
}

/* ---- in threads of the program */

void gather_thread_start(struct gather *g) {
    g->executor = g->executor ? g->executor : executor_start();
}

bool gather_thread_is_there(const struct gather *g) {
    return g->executor != NULL;
}

bool gather_thread_is_at_work(struct gather *g) {
    return atomic_load(&g->draining) && !atomic_load(&g->abandoned);
}

bool gather_thread_is_abandoned(struct gather *g) {
    return atomic_load(&g->abandoned);
}

bool gather_thread_is_open(struct gather *g) {
    return atomic_load(&g->way) == GATHER_OPEN;
}

void gather_thread_trim(struct gather *g) {
    if (gather_thread_is_open(g))
        context_empty(&g->context);
}

/* A wait for an event that the thread brings, whose opening and self-tests may take long.  False:
 * the device does not answer, and is left alone. */
static bool wait_for(struct gather *g, struct event *e, unsigned value, const bool *is_gone) {
    if (executor_wait_for(g->executor, e, value, mpgpu_conf.watchdog))
        return true;
    if ((is_gone && *is_gone) || signal_guard_is_in_child())
        return false;
    atomic_store(&g->abandoned, true);
    g->session->abandon(g->device);
    return false;
}

static bool stop_using(void *gather) {
    struct gather *g = gather;
    atomic_fetch_sub(&g->users, 1);
    return true;
}

/* As a thread that comes in. */
static bool use_again(void *gather) {
    struct gather *g = gather;
    struct backoff b = {0};
    atomic_fetch_add(&g->users, 1);
    while (atomic_load(&g->holders) && g->session->is_open(g->device)) {
        atomic_fetch_sub(&g->users, 1);
        backoff_nap(&b);
        atomic_fetch_add(&g->users, 1);
    }
    return true;
}

bool gather_thread_open(struct gather *g) {
    unsigned value = event_count(&g->opened) + 1;
    struct signal_window window = {.let_go = stop_using, .take_back = use_again, .of = g};
    if (atomic_load(&g->way) == GATHER_CLOSED) {
        atomic_store(&g->wants_way, true);
        wake(g);
        signal_guard_push(&window);
        wait_for(g, &g->opened, value, NULL);
        signal_guard_pop(&window);
    }
    return gather_thread_is_open(g);
}

static uint32_t bit_of(const struct gather_request *r) {
    return 1u << r->product.slot;
}

void gather_thread_submit(struct gather *g, const struct direct_product *p, unsigned count) {
    uint32_t slots = 0;
    for (unsigned i = 0; i < count; i++) {
        struct gather_request *r = &g->requests[p[i].slot];
        r->product = p[i];
        r->posts = event_count(&r->ended);
        atomic_store(&r->is_late, false);
        atomic_store(&r->owner, 0);
        atomic_store(&r->state, GATHER_PENDING);
        slots |= bit_of(r);
    }
    atomic_fetch_or(&g->pending, slots);
    wake(g);
}

/* Not before that is told: who waits for the slot's next product is to be woken for that alone. */
static bool has_ended(const struct gather *g, struct gather_request *r) {
    int state = atomic_load_explicit(&r->state, memory_order_acquire);
    return state == GATHER_ENDED ? event_count(&r->ended) != r->posts
                                 : state == GATHER_LAUNCHED && direct_is_watched(&g->context) &&
                                       direct_is_done(&g->context, &r->product);
}

static void ask_driver(struct gather *g, struct gather_request *r) {
    atomic_store(&r->is_late, true);
    atomic_fetch_or(&g->late, bit_of(r));
    wake(g);
}

/* What the host sees by itself does not count: the thread that launches may look at it now. */
bool gather_thread_has_ended(struct gather *g, struct gather_request *r) {
    if (atomic_load(&r->state) == GATHER_ENDED && event_count(&r->ended) != r->posts)
        return true;
    ask_driver(g, r);
    return false;
}

/* As wait_for, until it has ended.  The thread that launches asks the driver meanwhile. */
static bool sleep_until_end(struct gather *g, struct gather_request *r, const bool *is_gone) {
    for (;;) {
        unsigned next = event_count(&r->ended) + 1;
        if (has_ended(g, r))
            return true;
        ask_driver(g, r);
        if (!wait_for(g, &r->ended, next, is_gone))
            return false;
    }
}

/* It is not late any more then: what is in the slot next is not to be looked at. */
bool gather_thread_wait(struct gather *g, struct gather_request *r, const bool *is_gone) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    while (!has_ended(g, r)) {
        if (backoff_spin(&b))
            continue;
        bool ended = sleep_until_end(g, r, is_gone);
        if (*is_gone)
            return false;
        atomic_fetch_and(&g->late, ~bit_of(r));
        return ended;
    }
    return true;
}

/* Where the host sees the end by itself, only that is one: the report may be of another product. */
enum gpu_status gather_thread_end(struct gather *g, struct gather_request *r) {
    atomic_fetch_sub(&g->load[r->queue], 1);
    if (atomic_load(&r->state) == GATHER_ENDED && r->status != GPU_OK)
        return r->status;
    return !direct_is_watched(&g->context) || direct_is_done(&g->context, &r->product) ? GPU_OK
                                                                                       : GPU_FAILED;
}
