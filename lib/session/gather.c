/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads: slots, the thread that launches, and how each ends. */
#include "config.h"

#include "lib/session/gather.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/opener.h"
#include "lib/session/session_state.h"
#include "lib/session/settle.h"
#include "lib/session/streams.h"

/* Launches in different queues overlap.  To change the queue takes the device some microseconds. */
enum { QUEUES = 4 };
enum { MEMORY_FRACTION = 16 }; /* of what the option allows, at most a sixteenth */

/* A request is its thread's until it is PENDING, and again when it is LAUNCHED and the host sees
 * its end, or when it has ENDED.  It keeps the product itself: the program's thread goes on where
 * the device does not answer, and its stack is gone when that answers after all. */
enum { PENDING, LAUNCHING, LAUNCHED, ENDED };

struct request {
    struct direct_product product;
    atomic_int state;
    atomic_bool is_late; /* its thread wants the driver asked */
    enum gpu_status status; /* of one that has ended */
    unsigned queue;
    struct event ended;
};

static struct request requests[GATHER_SLOTS];
static _Atomic uint32_t taken;         /* slots in use, a bit each; */
static _Atomic uint32_t pending, late; /* to be launched, and to be waited for in the driver */
static atomic_int draining;            /* the thread is at work, or about to be */
static atomic_int users, holders;      /* threads with a product under way; who keeps them out */
static atomic_bool abandoned;          /* the thread that launches may never come back */
static atomic_bool wants_way; /* a thread waits for its opening */
static struct event opened;
static enum { WAY_CLOSED, WAY_OPEN, WAY_FAILED } _Atomic way;

static struct executor *executor;
static struct context context;
static struct gpu_queue queues[QUEUES];
static atomic_int load[QUEUES]; /* products under way in each */

/* ---- the thread that launches */

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
        session_fault();
        session_leave_alone("it failed a known-answer test");
    }
    atomic_store(&way, status == GPU_OK ? WAY_OPEN : WAY_FAILED);
    event_post(&opened);
}

static void end(struct request *r, enum gpu_status status) {
    r->status = status;
    atomic_store(&r->state, ENDED);
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
    session_end_badly(&context, status);
    if (session_is_open() && settle_and_wipe(&context) != GPU_OK)
        session_fault();
}

/* Requests of one plan, up to SMALL_ITEMS. */
struct launch {
    struct request *request[SMALL_ITEMS];
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
            atomic_store(&l->request[i]->state, LAUNCHED);
    }
}

/* Those of `slots` with the plan of the first; returns the others. */
static uint32_t choose(uint32_t slots, struct launch *l) {
    uint32_t others = 0;
    l->count = 0;
    for (; slots; slots &= slots - 1) {
        struct request *r = &requests[__builtin_ctz(slots)];
        bool fits = l->count == 0 ||
                    (l->count < SMALL_ITEMS && r->product.plan.log_n == l->product[0]->plan.log_n);
        if (!fits) {
            others |= slots & -slots;
            continue;
        }
        atomic_store(&r->state, LAUNCHING);
        l->request[l->count] = r;
        l->product[l->count++] = &r->product;
    }
    return others;
}

/* The driver knows of errors, and sleeps. */
static void look(struct request *r) {
    if (!atomic_load(&r->is_late) || atomic_load(&r->state) != LAUNCHED)
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

void gather_prepare(void) {
    executor = executor ? executor : executor_start();
}

/* ---- threads of the program */

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

/* A thread that may never come back is not waited for. */
static bool is_at_work(void) {
    return atomic_load(&users) > 0 || (atomic_load(&draining) && !atomic_load(&abandoned));
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

bool gather_is_open(void) {
    return atomic_load(&way) == WAY_OPEN;
}

void gather_trim(void) {
    if (gather_is_open())
        context_empty(&context);
}

void gather_go_on(void) {
    atomic_fetch_sub(&holders, 1);
}

/* A wait for an event that the thread brings, whose opening and self-tests may take long.  False:
 * the device does not answer, and is left alone. */
static bool wait_for(struct event *e, unsigned value) {
    if (executor_wait_for(executor, e, value, mpgpu_conf.watchdog))
        return true;
    atomic_store(&abandoned, true);
    session_abandon();
    return false;
}

static bool is_open(void) {
    unsigned value = event_count(&opened) + 1;
    if (atomic_load(&way) == WAY_CLOSED) {
        atomic_store(&wants_way, true);
        wake();
        wait_for(&opened, value);
    }
    return gather_is_open();
}

/* Slots go to threads in the order in which they came.  A thread may take one once so many have
 * been given back that there is one for it.  Each place of `turns` is that of few threads: all of a
 * thousand would else be woken for each slot. */
enum { PLACES = 256 };
static atomic_uint tickets, given_back;
static struct event turns[PLACES];

static unsigned take_free_slot(void) {
    uint32_t now = atomic_load(&taken);
    while (!~now || !atomic_compare_exchange_weak(&taken, &now, now | (~now & (now + 1))))
        now = atomic_load(&taken);
    return (unsigned)__builtin_ctz(~now);
}

/* GATHER_SLOTS where the device was left alone meanwhile. */
static unsigned take_slot(void) {
    unsigned ticket = atomic_fetch_add(&tickets, 1);
    struct event *turn = &turns[ticket % PLACES];
    struct backoff b = {.spin_ns = executor_spin_ns()};
    for (;;) {
        unsigned next = event_count(turn) + 1;
        if ((int)(ticket - atomic_load(&given_back)) < GATHER_SLOTS)
            return take_free_slot();
        if (!session_is_open())
            return GATHER_SLOTS;
        backoff_wait(&b, turn, next, SIGNAL_GUARD_LOOK_NS);
        signal_guard_let_pass();
    }
}

static void give_slot(unsigned slot) {
    atomic_fetch_and(&taken, ~(1u << slot));
    unsigned before = atomic_fetch_add(&given_back, 1);
    event_post(&turns[(before + GATHER_SLOTS) % PLACES]);
}

static bool has_ended(const struct request *r) {
    int state = atomic_load_explicit(&r->state, memory_order_acquire);
    return state == ENDED || (state == LAUNCHED && direct_is_watched(&context) &&
                              direct_is_done(&context, &r->product));
}

/* As wait_for, until it has ended: the event may yet tell of what was in the slot before.  The
 * thread that launches asks the driver meanwhile. */
static bool sleep_until_end(struct request *r, unsigned slot) {
    for (;;) {
        unsigned next = event_count(&r->ended) + 1;
        if (has_ended(r))
            return true;
        atomic_store(&r->is_late, true);
        atomic_fetch_or(&late, 1u << slot);
        wake();
        if (!wait_for(&r->ended, next))
            return false;
    }
}

/* Until it has ended; false where the device does not answer.  It is not late any more then: what
 * is in the slot next is not to be looked at. */
static bool wait_for_end(struct request *r, unsigned slot) {
    struct backoff b = {.spin_ns = executor_spin_ns()};
    while (!has_ended(r)) {
        if (backoff_spin(&b))
            continue;
        bool ended = sleep_until_end(r, slot);
        atomic_fetch_and(&late, ~(1u << slot));
        return ended;
    }
    return true;
}

/* Where the host sees the end by itself, only that is one: the report may be of another product. */
static enum gpu_status status_of(const struct request *r) {
    if (atomic_load(&r->state) == ENDED && r->status != GPU_OK)
        return r->status;
    return !direct_is_watched(&context) || direct_is_done(&context, &r->product) ? GPU_OK
                                                                                 : GPU_FAILED;
}

/* A wrong result, or what the device has said. */
static enum outcome judge(struct direct_product *p, enum gpu_status status) {
    if (status == GPU_OK && direct_deliver(&context, p) == GPU_OK)
        return OUTCOME_DONE;
    if (status == GPU_OK)
        session_fault();
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* In its slot, loaded.  One that the device may yet write to is never given back. */
static enum outcome submit(struct direct_product *p) {
    struct request *r = &requests[p->slot];
    double start = stats_on ? stats_clock() : 0;
    r->product = *p;
    atomic_store(&r->is_late, false);
    atomic_store(&r->state, PENDING);
    atomic_fetch_or(&pending, 1u << p->slot);
    wake();
    if (!wait_for_end(r, p->slot))
        return OUTCOME_FAILED;
    double ended = stats_on ? stats_clock() : 0;
    enum outcome outcome = judge(p, status_of(r));
    stats_times.kernels += ended - start;
    stats_times.download += stats_on ? stats_clock() - ended : 0;
    stats_times.ways[STATS_BLOCK] += outcome == OUTCOME_DONE;
    if (mpgpu_conf.clear)
        direct_wipe(&context, p->slot);
    atomic_fetch_sub(&load[r->queue], 1);
    give_slot(p->slot);
    return outcome;
}

static enum outcome run(struct direct_product *p) {
    double start = stats_on ? stats_clock() : 0;
    p->slot = take_slot();
    if (p->slot == GATHER_SLOTS)
        return OUTCOME_NONE;
    if (!session_is_open()) { /* and what the device may yet write is nobody's */
        give_slot(p->slot);
        return OUTCOME_NONE;
    }
    direct_load(&context, p);
    stats_times.upload += stats_on ? stats_clock() - start : 0;
    return submit(p);
}

/* Inside.  An opening that does not come to an end is this product's failure. */
static bool serve_product(struct direct_product *p, enum outcome *outcome) {
    if (!session_is_open())
        return false;
    *outcome = is_open() ? run(p) : atomic_load(&abandoned) ? OUTCOME_FAILED : OUTCOME_MEMORY;
    return *outcome != OUTCOME_MEMORY || !session_is_open();
}

/* Where memory does not suffice, the other way has that of all streams. */
static bool ask(struct direct_product *p, enum outcome *outcome) {
    *outcome = session_question();
    if (*outcome != OUTCOME_DONE)
        return true;
    if (!executor || !direct_plan(&streams_get(0)->context, p) || !enter())
        return false;
    bool serves = serve_product(p, outcome);
    atomic_fetch_sub(&users, 1);
    return serves;
}

bool gather_product(struct direct_product *p, enum outcome *outcome) {
    struct signal_guard before;
    signal_guard_begin(&before);
    bool serves = ask(p, outcome);
    signal_guard_end(&before);
    return serves;
}
