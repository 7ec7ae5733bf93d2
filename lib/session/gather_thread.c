/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches gathered products: its context, its queues, and what has come. */
#include "config.h"

#include "lib/session/gather_thread.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/executor.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/opener.h"
#include "lib/session/settle.h"
#include "lib/session/streams.h"

/* Launches in different queues overlap.  To change the queue takes the device some microseconds. */
enum { QUEUES = 4 };
enum { MEMORY_FRACTION = 16 }; /* of what the option allows, at most a sixteenth */

static struct gather_request requests[GATHER_SLOTS];
static _Atomic uint32_t pending, late; /* to be launched, and to be waited for in the driver */
static atomic_int draining;            /* the thread is at work, or about to be */
static atomic_bool abandoned;          /* it may never come back */
static atomic_bool wants_way;          /* a thread waits for the opening */
static struct event opened;
static enum { WAY_CLOSED, WAY_OPEN, WAY_FAILED } _Atomic way;

static const struct gather_session *session;
static struct executor *executor;
static struct context context;
static struct gpu_queue queues[QUEUES];
static atomic_int load[QUEUES]; /* products under way in each */

/* ---- in that thread */

static enum gpu_status open_queues(void) {
    enum gpu_status status = GPU_OK;
    queues[0] = context.queue;
    for (int i = 1; i < QUEUES && status == GPU_OK; i++)
        status = gpu_queue_open(&context.dev, &queues[i]);
    return status;
}

static void close_context(void) {
    for (int i = 1; i < QUEUES; i++)
        if (queues[i].impl)
            gpu_queue_close(&queues[i]);
    context.queue = queues[0];
    memset(queues, 0, sizeof queues);
    opener_close(&context);
}

/* Where little memory is allowed, larger operations have it. */
static bool has_room(void) {
    return mpgpu_conf.memory == 0 ||
           mpgpu_conf.memory / MEMORY_FRACTION >= direct_bytes(GATHER_SLOTS + 1);
}

static void open_way(void) {
    char text[256] = "little memory is allowed";
    bool failed_test = false;
    enum gpu_status status =
        has_room() ? opener_open_small(&streams_get(0)->context, &context, GATHER_SLOTS + 1,
                                       &failed_test, text, sizeof text)
                   : GPU_NOMEM;
    if (status == GPU_OK) {
        status = open_queues();
        status = status == GPU_OK ? direct_open(&context) : status;
        if (status != GPU_OK)
            close_context();
    }
    mpgpu_log(LOG_INFO, "small products: %s: %s", text, gpu_status_text(status));
    if (failed_test) {
        session->fault();
        session->leave_alone("it failed a known-answer test");
    }
    atomic_store(&way, status == GPU_OK ? WAY_OPEN : WAY_FAILED);
    event_post(&opened);
}

static void end(struct gather_request *r, enum gpu_status status) {
    r->status = status;
    atomic_store(&r->state, GATHER_ENDED);
    event_post(&r->ended);
}

/* Does the queue have to be finished after a launch? */
static bool is_waited_for(void) {
    return !direct_is_watched(&context) || mpgpu_conf.clear;
}

static enum gpu_status finish(void) {
    enum gpu_status status = mpgpu_conf.clear ? context_clear(&context) : GPU_OK;
    enum gpu_status finished = gpu_finish(&context.queue);
    return status == GPU_OK ? finished : status;
}

/* After a failure: nothing that this launch has begun is under way any more. */
static void fail(enum gpu_status status) {
    for (int i = 0; i < QUEUES; i++)
        gpu_finish(&queues[i]);
    session->end_badly(&context, status);
    if (session->is_open() && settle_and_wipe(&context) != GPU_OK)
        session->fault();
}

/* Requests of one plan, up to SMALL_ITEMS. */
struct launch {
    struct gather_request *request[SMALL_ITEMS];
    struct direct_product *product[SMALL_ITEMS];
    unsigned count;
};

/* What the plan needs is there before any queue uses it. */
static enum gpu_status prepare(const struct small_plan *p) {
    bool was_ready = context.small_ready;
    context.queue = queues[0];
    enum gpu_status status = verified_plan_small(&context, p);
    return status == GPU_OK && !was_ready && p->log_n > 0 ? gpu_finish(&context.queue) : status;
}

/* The first with the fewest products. */
static unsigned choose_queue(void) {
    unsigned best = 0;
    for (unsigned i = 1; i < QUEUES; i++)
        if (atomic_load(&load[i]) < atomic_load(&load[best]))
            best = i;
    return best;
}

static void carry_out(struct launch *l) {
    unsigned queue = choose_queue();
    enum gpu_status status = prepare(&l->product[0]->plan);
    if (status == GPU_OK)
        context_tell(&context);
    context.queue = queues[queue];
    for (unsigned i = 0; i < l->count; i++)
        l->request[i]->queue = queue;
    atomic_fetch_add(&load[queue], (int)l->count);
    if (status == GPU_OK)
        status = direct_launch(&context, l->product, l->count);
    if (status == GPU_OK && is_waited_for())
        status = finish();
    if (status != GPU_OK)
        fail(status);
    for (unsigned i = 0; i < l->count; i++) {
        if (status != GPU_OK || is_waited_for())
            end(l->request[i], status);
        else
            atomic_store(&l->request[i]->state, GATHER_LAUNCHED);
    }
}

/* Those of `slots` with the plan of the first; returns the others. */
static uint32_t choose(uint32_t slots, struct launch *l) {
    uint32_t others = 0;
    l->count = 0;
    for (; slots; slots &= slots - 1) {
        struct gather_request *r = &requests[__builtin_ctz(slots)];
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
static void look(struct gather_request *r) {
    if (!atomic_load(&r->is_late) || atomic_load(&r->state) != GATHER_LAUNCHED)
        return;
    enum gpu_status status = gpu_finish(&queues[r->queue]);
    if (status == GPU_OK && !direct_is_done(&context, &r->product))
        status = GPU_FAILED;
    if (status != GPU_OK)
        fail(status);
    end(r, status);
}

/* Who is late was pending before. */
static bool serve(void) {
    uint32_t waiting = atomic_exchange(&late, 0), slots = atomic_exchange(&pending, 0);
    bool any = (waiting | slots) != 0;
    struct launch l;
    if (atomic_exchange(&wants_way, false) && atomic_load(&way) == WAY_CLOSED)
        open_way();
    while (slots) {
        slots = choose(slots, &l);
        carry_out(&l);
    }
    for (; waiting; waiting &= waiting - 1)
        look(&requests[__builtin_ctz(waiting)]);
    return any;
}

static bool is_asked(void) {
    return (atomic_load(&pending) | atomic_load(&late)) != 0 || atomic_load(&wants_way);
}

static void drain(void *unused) {
    (void)unused;
    do {
        while (serve())
            continue;
        atomic_store(&draining, 0);
    } while (is_asked() && !atomic_exchange(&draining, 1));
}

static void wake(void) {
    if (!atomic_exchange(&draining, 1))
        executor_post(executor, drain, NULL);
}

/* ---- in threads of the program */

void gather_thread_start(const struct gather_session *of) {
    session = of;
    executor = executor ? executor : executor_start();
}

bool gather_thread_is_there(void) {
    return executor != NULL;
}

bool gather_thread_is_at_work(void) {
    return atomic_load(&draining) && !atomic_load(&abandoned);
}

bool gather_thread_is_abandoned(void) {
    return atomic_load(&abandoned);
}

bool gather_thread_is_open(void) {
    return atomic_load(&way) == WAY_OPEN;
}

void gather_thread_trim(void) {
    if (gather_thread_is_open())
        context_empty(&context);
}

const struct context *gather_thread_context(void) {
    return &context;
}

struct gather_request *gather_thread_request(unsigned slot) {
    return &requests[slot];
}

/* A wait for an event that the thread brings, whose opening and self-tests may take long.  False:
 * the device does not answer, and is left alone. */
static bool wait_for(struct event *e, unsigned value) {
    if (executor_wait_for(executor, e, value, mpgpu_conf.watchdog))
        return true;
    atomic_store(&abandoned, true);
    session->abandon();
    return false;
}

bool gather_thread_open(void) {
    unsigned value = event_count(&opened) + 1;
    if (atomic_load(&way) == WAY_CLOSED) {
        atomic_store(&wants_way, true);
        wake();
        wait_for(&opened, value);
    }
    return gather_thread_is_open();
}

static uint32_t bit_of(const struct gather_request *r) {
    return 1u << r->product.slot;
}

void gather_thread_submit(const struct direct_product *p, unsigned count) {
    uint32_t slots = 0;
    for (unsigned i = 0; i < count; i++) {
        struct gather_request *r = &requests[p[i].slot];
        r->product = p[i];
        atomic_store(&r->is_late, false);
        atomic_store(&r->state, GATHER_PENDING);
        slots |= bit_of(r);
    }
    atomic_fetch_or(&pending, slots);
    wake();
}

static bool has_ended(const struct gather_request *r) {
    int state = atomic_load_explicit(&r->state, memory_order_acquire);
    return state == GATHER_ENDED || (state == GATHER_LAUNCHED && direct_is_watched(&context) &&
                                     direct_is_done(&context, &r->product));
}

/* As wait_for, until it has ended: the event may yet tell of what was in the slot before.  The
 * thread that launches asks the driver meanwhile. */
static bool sleep_until_end(struct gather_request *r) {
    for (;;) {
        unsigned next = event_count(&r->ended) + 1;
        if (has_ended(r))
            return true;
        atomic_store(&r->is_late, true);
        atomic_fetch_or(&late, bit_of(r));
        wake();
        if (!wait_for(&r->ended, next))
            return false;
    }
}

/* It is not late any more then: what is in the slot next is not to be looked at. */
bool gather_thread_wait(struct gather_request *r) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    while (!has_ended(r)) {
        if (backoff_spin(&b))
            continue;
        bool ended = sleep_until_end(r);
        atomic_fetch_and(&late, ~bit_of(r));
        return ended;
    }
    return true;
}

/* Where the host sees the end by itself, only that is one: the report may be of another product. */
enum gpu_status gather_thread_end(struct gather_request *r) {
    atomic_fetch_sub(&load[r->queue], 1);
    if (atomic_load(&r->state) == GATHER_ENDED && r->status != GPU_OK)
        return r->status;
    return !direct_is_watched(&context) || direct_is_done(&context, &r->product) ? GPU_OK
                                                                                 : GPU_FAILED;
}
