/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches small products: its context, its queues, and what has come. */
#include "config.h"

#include "lib/session/gather_launcher.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/backoff.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/opener.h"
#include "lib/session/settle.h"

enum {
    MEMORY_FRACTION = 16, /* of what the option allows, at most a sixteenth */
    POLL_NS = 200000      /* for the next product of another process, before it has to be told */
};

/* ---- the opening */

static enum gpu_status open_queues(struct gather_launcher *l) {
    enum gpu_status status = GPU_OK;
    l->queues[0] = l->context.queue;
    for (int i = 1; i < GATHER_QUEUES && status == GPU_OK; i++)
        status = gpu_queue_open(&l->context.dev, &l->queues[i]);
    return status;
}

static void close_context(struct gather_launcher *l) {
    for (int i = 1; i < GATHER_QUEUES; i++)
        if (l->queues[i].impl)
            gpu_queue_close(&l->queues[i]);
    l->context.queue = l->queues[0];
    memset(l->queues, 0, sizeof l->queues);
    opener_close(&l->context);
}

/* Where little memory is allowed, larger operations have it. */
static bool has_room(void) {
    return mpgpu_conf.memory == 0 ||
           mpgpu_conf.memory / MEMORY_FRACTION >= direct_bytes(GATHER_SLOTS + 1);
}

static void add_own(struct gather_launcher *l) {
    const struct context *s = &l->context;
    l->own.slots = (struct direct_launch_slots){
        .host = s->direct->host, .slots = s->direct->slots, .view = s->direct_view};
    l->own.wants_clear = mpgpu_conf.clear;
    pthread_mutex_lock(&l->mutex);
    l->own.next = l->sources;
    l->sources = &l->own;
    pthread_mutex_unlock(&l->mutex);
}

static void open_way(struct gather_launcher *l) {
    char text[256] = "little memory is allowed";
    bool failed_test = false;
    enum gpu_status status = has_room() ? opener_open_small(l->first, &l->context, GATHER_SLOTS + 1,
                                                            &failed_test, text, sizeof text)
                                        : GPU_NOMEM;
    if (status == GPU_OK) {
        status = open_queues(l);
        status = status == GPU_OK ? direct_open(&l->context) : status;
        if (status != GPU_OK)
            close_context(l);
    }
    if (status == GPU_OK)
        add_own(l);
    mpgpu_log(LOG_INFO, "small products: %s%s%s", text, status == GPU_OK ? "" : ": ",
              status == GPU_OK ? "" : gpu_status_text(status));
    if (failed_test) {
        l->session->fault(l->device);
        l->session->leave_alone(l->device, "it failed a known-answer test");
    }
    atomic_store(&l->way, status == GPU_OK ? GATHER_OPEN : GATHER_FAILED);
    event_post(&l->opened);
}

/* ---- a launch */

static struct gather_entry *entry_at(const struct gather_source *x, unsigned slot) {
    return &x->block->entry[slot];
}

static void end(const struct gather_source *x, unsigned slot, enum gpu_status status) {
    struct gather_entry *e = entry_at(x, slot);
    atomic_store(&e->status, status);
    atomic_store(&e->state, GATHER_ENDED);
    event_post(&e->ended);
}

/* Does the queue have to be finished after a launch? */
static bool is_waited_for(const struct gather_source *x) {
    return !x->slots.view.h || x->wants_clear;
}

static enum gpu_status finish(struct gather_launcher *l, const struct gather_source *x) {
    enum gpu_status status = x->wants_clear ? context_clear(&l->context) : GPU_OK;
    enum gpu_status finished = gpu_finish(&l->context.queue);
    return status == GPU_OK ? finished : status;
}

static void finish_all(struct gather_launcher *l) {
    for (int i = 0; i < GATHER_QUEUES; i++)
        gpu_finish(&l->queues[i]);
}

/* After a failure: nothing that this launch has begun is under way any more. */
static void fail(struct gather_launcher *l, enum gpu_status status) {
    finish_all(l);
    l->session->end_badly(l->device, &l->context, status);
    if (l->session->is_open(l->device) && settle_and_wipe(&l->context) != GPU_OK)
        l->session->fault(l->device);
}

/* What the plan needs is there before any queue uses it. */
static enum gpu_status prepare(struct gather_launcher *l, const struct small_plan *p) {
    bool was_ready = l->context.slot[SLOT_SMALL].is_ready;
    l->context.queue = l->queues[0];
    enum gpu_status status = verified_plan_small(&l->context, p);
    return status == GPU_OK && !was_ready && p->log_n > 0 ? gpu_finish(&l->context.queue) : status;
}

/* The first with the fewest products. */
static unsigned choose_queue(const struct gather_launcher *l) {
    unsigned best = 0;
    for (unsigned i = 1; i < GATHER_QUEUES; i++)
        if (l->load[i] < l->load[best])
            best = i;
    return best;
}

static void count_off(struct gather_launcher *l, struct gather_source *x, uint32_t slots) {
    slots &= x->launched;
    x->launched &= ~slots;
    for (; slots; slots &= slots - 1)
        l->load[x->queue[__builtin_ctz(slots)]]--;
}

/* Items of one plan. */
struct launch {
    struct direct_item item[SMALL_ITEMS];
    unsigned count;
};

static enum gpu_status put(struct gather_launcher *l, struct gather_source *x,
                           const struct launch *k) {
    enum gpu_status status = prepare(l, &(struct small_plan){k->item[0].log_n});
    if (status == GPU_OK)
        context_tell(&l->context);
    l->context.queue = l->queues[x->queue[k->item[0].slot]];
    if (status == GPU_OK)
        status = direct_launch(&l->context, &x->slots, k->item, k->count);
    if (status == GPU_OK && is_waited_for(x))
        status = finish(l, x);
    if (status != GPU_OK)
        fail(l, status);
    return status;
}

static void carry_out(struct gather_launcher *l, struct gather_source *x, const struct launch *k) {
    const unsigned queue = choose_queue(l);
    for (unsigned i = 0; i < k->count; i++) {
        x->queue[k->item[i].slot] = queue;
        x->launched |= 1u << k->item[i].slot;
    }
    l->load[queue] += k->count;
    executor_set_watch(&x->block->watch);
    executor_progress();
    enum gpu_status status = l->session->is_open(l->device) ? put(l, x, k) : GPU_FAILED;
    executor_set_watch(NULL);
    for (unsigned i = 0; i < k->count; i++) {
        if (status != GPU_OK || is_waited_for(x))
            end(x, k->item[i].slot, status);
        else
            atomic_store(&entry_at(x, k->item[i].slot)->state, GATHER_LAUNCHED);
    }
}

/* Those of `slots` with the plan of the first; returns the others.  What does not fit a slot of
 * another process's has ended. */
static uint32_t choose(const struct gather_launcher *l, const struct gather_source *x,
                       uint32_t slots, struct launch *k) {
    uint32_t others = 0;
    k->count = 0;
    for (; slots; slots &= slots - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(slots);
        const struct direct_item item = entry_at(x, slot)->item;
        if (item.slot != slot || !direct_item_fits(&l->context, &item, GATHER_SLOTS))
            end(x, slot, GPU_FAILED);
        else if (k->count == 0 || (k->count < SMALL_ITEMS && item.log_n == k->item[0].log_n &&
                                   item.has_report == k->item[0].has_report))
            k->item[k->count++] = item;
        else
            others |= slots & -slots;
    }
    return others;
}

/* The driver knows of errors, and sleeps.  The program sees whether the product is there. */
static void look(struct gather_launcher *l, struct gather_source *x, unsigned slot) {
    struct gather_entry *e = entry_at(x, slot);
    if (!(x->launched >> slot & 1) || !atomic_load(&e->is_late) ||
        atomic_load(&e->state) != GATHER_LAUNCHED)
        return;
    executor_set_watch(&x->block->watch);
    enum gpu_status status = gpu_finish(&l->queues[x->queue[slot]]);
    executor_set_watch(NULL);
    if (status != GPU_OK)
        fail(l, status);
    end(x, slot, status);
}

/* ---- in that thread */

static bool is_paused(const struct gather_launcher *l, const struct gather_source *x) {
    return x->is_foreign && atomic_load(&l->paused) > 0;
}

static bool has_any(const struct gather_launcher *l, const struct gather_source *x) {
    return !is_paused(l, x) && (atomic_load(&x->block->pending) | atomic_load(&x->block->late)) != 0;
}

/* Who is late was pending before. */
static bool serve_source(struct gather_launcher *l, struct gather_source *x) {
    if (!has_any(l, x))
        return false;
    uint32_t waiting = atomic_exchange(&x->block->late, 0);
    uint32_t slots = atomic_exchange(&x->block->pending, 0);
    count_off(l, x, atomic_exchange(&x->block->returned, 0) | slots);
    for (struct launch k; slots;) {
        slots = choose(l, x, slots, &k);
        if (k.count > 0)
            carry_out(l, x, &k);
    }
    for (; waiting; waiting &= waiting - 1)
        look(l, x, (unsigned)__builtin_ctz(waiting));
    return true;
}

static bool serve(struct gather_launcher *l) {
    bool any = false;
    if (atomic_exchange(&l->wants_way, false) && atomic_load(&l->way) == GATHER_CLOSED)
        open_way(l);
    pthread_mutex_lock(&l->mutex);
    for (struct gather_source *x = l->sources; x; x = x->next)
        any |= serve_source(l, x);
    pthread_mutex_unlock(&l->mutex);
    return any;
}

static bool is_asked(struct gather_launcher *l) {
    bool any = atomic_load(&l->wants_way);
    pthread_mutex_lock(&l->mutex);
    for (const struct gather_source *x = l->sources; x && !any; x = x->next)
        any = has_any(l, x);
    pthread_mutex_unlock(&l->mutex);
    return any;
}

/* From here on who has something pending rings. */
static void stop(struct gather_launcher *l) {
    pthread_mutex_lock(&l->mutex);
    for (struct gather_source *x = l->sources; x; x = x->next)
        atomic_store(&x->block->draining, 0);
    pthread_mutex_unlock(&l->mutex);
    atomic_store(&l->draining, 0);
}

/* Another process's next product is waited for: to be told of it costs two wake-ups. */
static struct backoff patience(struct gather_launcher *l) {
    const bool polls = atomic_load(&l->foreign) > 0 && !atomic_load(&l->paused);
    return (struct backoff){.spin_ns = polls && executor_spin_ns() > 0 ? POLL_NS : 0};
}

static void drain(void *launcher) {
    struct gather_launcher *l = launcher;
    do {
        struct backoff b = patience(l);
        for (bool goes_on = true; goes_on;) {
            const bool served = serve(l);
            b = served ? patience(l) : b;
            goes_on = served || backoff_spin(&b);
        }
        stop(l);
    } while (is_asked(l) && !atomic_exchange(&l->draining, 1));
}

void gather_launcher_ring(struct gather_launcher *l) {
    if (!atomic_exchange(&l->draining, 1))
        executor_post(l->executor, drain, l);
}

/* ---- in others */

bool gather_launcher_start(struct gather_launcher *l) {
    if (!l->executor) {
        pthread_mutex_init(&l->mutex, NULL);
        l->executor = executor_start();
    }
    return l->executor != NULL;
}

void gather_launcher_want(struct gather_launcher *l) {
    atomic_store(&l->wants_way, true);
    gather_launcher_ring(l);
}

bool gather_launcher_is_open(struct gather_launcher *l) {
    return atomic_load(&l->way) == GATHER_OPEN;
}

/* Products of other processes that were launched before the pause. */
void gather_launcher_trim(struct gather_launcher *l) {
    if (!l->context.direct)
        return;
    if (atomic_load(&l->foreign) > 0)
        finish_all(l);
    context_empty(&l->context);
}

void gather_launcher_pause(struct gather_launcher *l) {
    atomic_fetch_add(&l->paused, 1);
}

void gather_launcher_go_on(struct gather_launcher *l) {
    atomic_fetch_sub(&l->paused, 1);
    if (atomic_load(&l->foreign) > 0)
        gather_launcher_ring(l);
}

/* ---- slots of other processes */

static bool open_for(struct gather_launcher *l, struct executor_watch *shown) {
    const unsigned value = event_count(&l->opened) + 1;
    if (atomic_load(&l->way) == GATHER_CLOSED) {
        gather_launcher_want(l);
        if (!executor_wait_shown(l->executor, &l->opened, value, mpgpu_conf.watchdog, shown))
            l->session->abandon(l->device);
    }
    return gather_launcher_is_open(l) && l->session->is_open(l->device);
}

/* What products are made in is each source's own if launches overlap. */
static enum gpu_status open_source(struct gather_launcher *l, struct gather_source *x,
                                   bool may_view) {
    void *slots = (char *)x->block + GATHER_BLOCK_BYTES;
    x->slots = may_view ? direct_view(&l->context, slots, GATHER_SLOTS)
                        : (struct direct_launch_slots){.host = slots, .slots = GATHER_SLOTS};
    l->context.queue = l->queues[0];
    return x->slots.view.h ? small_work_open(&l->context, GATHER_SLOTS, &x->slots.work) : GPU_OK;
}

enum gpu_status gather_launcher_add(struct gather_launcher *l, struct gather_source *source,
                                    struct gather_block *block, bool may_view) {
    *source = (struct gather_source){
        .block = block, .is_foreign = true, .wants_clear = block->wants_clear != 0};
    if (!open_for(l, &block->watch))
        return GPU_ABSENT;
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status = open_source(l, source, may_view);
    if (status == GPU_OK) {
        source->next = l->sources;
        l->sources = source;
        atomic_fetch_add(&l->foreign, 1);
    }
    pthread_mutex_unlock(&l->mutex);
    return status;
}

void gather_launcher_remove(struct gather_launcher *l, struct gather_source *source) {
    struct gather_source **at = &l->sources;
    pthread_mutex_lock(&l->mutex);
    while (*at != source)
        at = &(*at)->next;
    *at = source->next;
    atomic_fetch_sub(&l->foreign, 1);
    if (source->launched)
        finish_all(l);
    count_off(l, source, source->launched);
    if (source->slots.work.h)
        context_release(&l->context, source->slots.work, small_work_bytes(GATHER_SLOTS));
    pthread_mutex_unlock(&l->mutex);
}
