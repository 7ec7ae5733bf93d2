/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The launcher: a thread that launches a device's small products. This file contains its context,
 * its queues and the list of processes whose products it launches. */
#include "config.h"

#include "lib/session/coalesce_launcher.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/backoff.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/opener.h"
#include "lib/session/drain.h"

enum {
    MEMORY_FRACTION = 16, /* small products may use at most 1/16 of the option `memory` */
    /* how long the launcher polls for another process's next product before it sleeps */
    POLL_NS = 200000
};

/* ---- opening */

static enum gpu_status open_queues(struct coalesce_launcher *l) {
    enum gpu_status status = GPU_OK;
    l->queues[0] = l->context.queue;
    for (int i = 1; i < COALESCE_QUEUES && status == GPU_OK; i++)
        status = gpu_queue_open(&l->context.dev, &l->queues[i]);
    return status;
}

static void close_context(struct coalesce_launcher *l) {
    for (int i = 1; i < COALESCE_QUEUES; i++)
        if (l->queues[i].impl)
            gpu_queue_close(&l->queues[i]);
    l->context.queue = l->queues[0];
    memset(l->queues, 0, sizeof l->queues);
    opener_close(&l->context);
}

/* Returns false if the option `memory` is so small that small products would leave too little
 * memory to larger operations. */
bool coalesce_launcher_has_room(void) {
    return mpgpu_conf.memory == 0 ||
           mpgpu_conf.memory / MEMORY_FRACTION >= direct_bytes(COALESCE_SLOTS + 1);
}

static void add_own(struct coalesce_launcher *l) {
    const struct context *s = &l->context;
    l->own.slots = (struct direct_launch_slots){
        .host = s->direct->host, .slots = s->direct->slots, .view = s->direct_view};
    l->own.wants_clear = mpgpu_conf.clear;
    pthread_mutex_lock(&l->mutex);
    l->own.next = l->sources;
    l->sources = &l->own;
    pthread_mutex_unlock(&l->mutex);
}

static void open_launcher_slots(struct coalesce_launcher *l) {
    char text[256] = "little memory is allowed";
    bool failed_test = false;
    enum gpu_status status = coalesce_launcher_has_room()
                                 ? opener_open_small(l->first, &l->context, COALESCE_SLOTS + 1,
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
    atomic_store(&l->way, status == GPU_OK ? COALESCE_OPEN : COALESCE_FAILED);
    event_post(&l->opened);
}

/* ---- a launch */

static struct coalesce_entry *entry_at(const struct coalesce_source *x, unsigned slot) {
    return &x->block->entry[slot];
}

static void post_product_end(const struct coalesce_source *x, unsigned slot,
                             enum gpu_status status) {
    struct coalesce_entry *e = entry_at(x, slot);
    atomic_store(&e->status, status);
    atomic_store(&e->state, COALESCE_ENDED);
    event_post(&e->ended);
}

/* Returns the queue with the fewest products in progress. */
static unsigned choose_queue(const struct coalesce_launcher *l) {
    unsigned best = 0;
    for (unsigned i = 1; i < COALESCE_QUEUES; i++)
        if (l->load[i] < l->load[best])
            best = i;
    return best;
}

static void count_in(struct coalesce_launcher *l, struct coalesce_source *x, unsigned slot,
                     unsigned queue) {
    x->queue[slot] = queue;
    x->launched |= 1u << slot;
    l->load[queue]++;
}

/* Subtracts ended slots from the counts of products in each queue. Ignores slots that were not
 * launched, because a client may set any bit of its mask. */
static void count_off(struct coalesce_launcher *l, struct coalesce_source *x, uint32_t slots) {
    slots &= x->launched;
    x->launched &= ~slots;
    for (; slots; slots &= slots - 1)
        l->load[x->queue[__builtin_ctz(slots)]]--;
}

/* Returns true if the launcher must wait for the queue after each launch: either the host cannot
 * see the end of products, or their data must be cleared. */
static bool needs_queue_wait(const struct coalesce_source *x) {
    return !x->slots.view.h || x->wants_clear;
}

static void finish_all(struct coalesce_launcher *l) {
    for (int i = 0; i < COALESCE_QUEUES; i++)
        gpu_finish(&l->queues[i]);
}

/* Handles a failed launch: waits for the commands that are already in the queues, and reports the
 * failure to the session. */
static void handle_failed_launch(struct coalesce_launcher *l, enum gpu_status status) {
    finish_all(l);
    l->session->end_badly(l->device, &l->context, status);
    if (l->session->is_open(l->device) && drain_and_wipe(&l->context) != GPU_OK)
        l->session->fault(l->device);
}

/* Adds `more` to the count of kernel builds in progress. Waiting threads read this count, and wait
 * longer during a build. */
static void show_building(struct coalesce_launcher *l, unsigned more) {
    for (struct coalesce_source *x = l->sources; x; x = x->next) {
        atomic_fetch_add(&x->block->watch.building, more);
        atomic_fetch_add(&x->block->watch.progress, 1);
    }
}

/* Builds and tests the plan's kernels and uploads their tables. Waits until the tables are
 * uploaded, because other queues will use them. */
static enum gpu_status prepare_plan_kernels(struct coalesce_launcher *l,
                                            const struct small_plan *p) {
    const bool was_ready = l->context.slot[SLOT_SMALL].is_ready;
    const bool is_new = !(l->prepared >> p->log_n & 1);
    l->context.queue = l->queues[0];
    if (is_new)
        show_building(l, 1);
    enum gpu_status status = verified_plan_small(&l->context, p);
    if (is_new)
        show_building(l, -1u);
    if (status == GPU_OK)
        l->prepared |= 1u << p->log_n;
    return status == GPU_OK && !was_ready && p->log_n > 0 ? gpu_finish(&l->context.queue) : status;
}

/* One launch: products of the same plan, which are launched together in one queue. */
struct launch {
    struct coalesce_source *source[SMALL_ITEMS];
    struct direct_ready product[SMALL_ITEMS];
    unsigned count, queue;
    bool is_waited_for, wants_clear, has_own;
};

/* Clears the data that the products have left on the device, for the option `clear`. */
static enum gpu_status clear_product_data(struct coalesce_launcher *l, const struct launch *k) {
    enum gpu_status status = context_clear(&l->context);
    for (unsigned i = 0; i < k->count && status == GPU_OK; i++) {
        const struct direct_launch_slots *in = k->product[i].in;
        const unsigned slot = in->first_work + k->product[i].item.slot;
        if (in->work.h)
            status =
                gpu_zero(&l->context.queue, in->work, small_work_bytes(slot), small_work_bytes(1));
    }
    return status;
}

/* Launches the products of *k. If the kernels cannot be prepared, this counts as a fault of the
 * device only if a product belongs to this process. */
static enum gpu_status queue_launch(struct coalesce_launcher *l, const struct launch *k) {
    enum gpu_status status =
        prepare_plan_kernels(l, &(struct small_plan){k->product[0].item.log_n});
    if (status != GPU_OK && !k->has_own)
        return status;
    l->context.queue = l->queues[k->queue];
    if (status == GPU_OK)
        status = direct_launch(&l->context, k->product, k->count);
    if (status == GPU_OK && k->wants_clear)
        status = clear_product_data(l, k);
    if (status == GPU_OK && k->is_waited_for)
        status = gpu_finish(&l->context.queue);
    if (status != GPU_OK)
        handle_failed_launch(l, status);
    return status;
}

static void carry_out(struct coalesce_launcher *l, const struct launch *k) {
    executor_progress();
    atomic_fetch_add(&l->launches, 1);
    enum gpu_status status = l->session->is_open(l->device) ? queue_launch(l, k) : GPU_FAILED;
    for (unsigned i = 0; i < k->count; i++) {
        const struct coalesce_source *x = k->source[i];
        const unsigned slot = k->product[i].item.slot;
        if (status != GPU_OK || k->is_waited_for)
            post_product_end(x, slot, status);
        else
            atomic_store(&entry_at(x, slot)->state, COALESCE_LAUNCHED);
        atomic_fetch_add(&x->block->watch.progress, 1);
    }
}

static bool fits_launch(const struct launch *k, const struct direct_ready *product) {
    return k->count == 0 || (k->count < SMALL_ITEMS && direct_go_together(product, &k->product[0]));
}

static void add_product_to_launch(struct coalesce_launcher *l, struct launch *k,
                                  struct coalesce_source *x, unsigned slot) {
    count_in(l, x, slot, k->queue);
    k->source[k->count] = x;
    k->product[k->count++] = x->product[slot];
    k->is_waited_for |= needs_queue_wait(x);
    k->wants_clear |= x->wants_clear;
    k->has_own |= !x->is_foreign;
    x->ready &= ~(1u << slot);
}

static void choose_products_to_launch(struct coalesce_launcher *l, struct launch *k) {
    *k = (struct launch){.queue = choose_queue(l)};
    for (struct coalesce_source *x = l->sources; x; x = x->next)
        for (uint32_t slots = x->ready; slots; slots &= slots - 1) {
            const unsigned slot = (unsigned)__builtin_ctz(slots);
            if (fits_launch(k, &x->product[slot]))
                add_product_to_launch(l, k, x, slot);
        }
}

/* Marks a product as ended if it is still COALESCE_LAUNCHED. Otherwise the host has already seen
 * its result, and the program may have continued. */
static void end_launched(struct coalesce_entry *e, enum gpu_status status) {
    int launched = COALESCE_LAUNCHED;
    atomic_store(&e->status, status);
    if (atomic_compare_exchange_strong(&e->state, &launched, COALESCE_ENDED))
        event_post(&e->ended);
}

/* Waits for a product by a driver call, which sleeps and reports errors, and marks the product as
 * ended. Does not check the result. */
static void await_late_product(struct coalesce_launcher *l, struct coalesce_source *x,
                               unsigned slot) {
    struct coalesce_entry *e = entry_at(x, slot);
    if (!(x->launched >> slot & 1) || !atomic_load(&e->is_late) ||
        atomic_load(&e->state) != COALESCE_LAUNCHED)
        return;
    enum gpu_status status = gpu_finish(&l->queues[x->queue[slot]]);
    if (status != GPU_OK)
        handle_failed_launch(l, status);
    end_launched(e, status);
}

/* ---- functions that run in the launcher thread, and coalesce_launcher_ring, which wakes it */

static bool is_paused(const struct coalesce_launcher *l, const struct coalesce_source *x) {
    return x->is_foreign &&
           (atomic_load(&l->paused) > 0 || atomic_load(&l->way) == COALESCE_CLOSED);
}

static bool has_products_of_source(const struct coalesce_launcher *l,
                                   const struct coalesce_source *x) {
    return !is_paused(l, x) &&
           (atomic_load(&x->block->pending) | atomic_load(&x->block->late)) != 0;
}

/* Reads from the block of a source (a process) which slots the launcher must launch, and which
 * slots it must await by a driver call. Products of other processes that do not fit their slot end
 * with GPU_FAILED. */
static bool read_submitted_slots(struct coalesce_launcher *l, struct coalesce_source *x) {
    if (!has_products_of_source(l, x))
        return false;
    /* A slot becomes pending before it becomes late. Since `late` is read first, each slot in it is
     * either found in `pending` next, or was launched before. */
    x->waiting = atomic_exchange(&x->block->late, 0);
    uint32_t slots = atomic_exchange(&x->block->pending, 0);
    count_off(l, x, atomic_exchange(&x->block->ended, 0) | slots);
    x->ready |= slots;
    for (; slots; slots &= slots - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(slots);
        x->product[slot] = (struct direct_ready){&x->slots, entry_at(x, slot)->item};
        const struct direct_item *item = &x->product[slot].item;
        if (item->slot == slot && direct_item_fits(&l->context, item, COALESCE_SLOTS) &&
            (!x->is_foreign ||
             small_plan_is_usual(&(struct small_plan){item->log_n}, &l->context.dev.caps)))
            continue;
        x->ready &= ~(1u << slot);
        post_product_end(x, slot, GPU_FAILED);
    }
    return true;
}

static void await_late_products(struct coalesce_launcher *l, struct coalesce_source *x) {
    for (; x->waiting; x->waiting &= x->waiting - 1)
        await_late_product(l, x, (unsigned)__builtin_ctz(x->waiting));
}

/* Launches the pending products of all sources (processes). Returns false if nothing was
 * pending. */
static bool serve_sources(struct coalesce_launcher *l) {
    struct launch k;
    bool any = false;
    for (struct coalesce_source *x = l->sources; x; x = x->next)
        any |= read_submitted_slots(l, x);
    if (!any)
        return false;
    for (choose_products_to_launch(l, &k); k.count > 0; choose_products_to_launch(l, &k))
        carry_out(l, &k);
    for (struct coalesce_source *x = l->sources; x; x = x->next)
        await_late_products(l, x);
    return true;
}

static bool serve_once(struct coalesce_launcher *l) {
    if (atomic_load(&l->wants_way) && atomic_exchange(&l->wants_way, false) &&
        atomic_load(&l->way) == COALESCE_CLOSED)
        open_launcher_slots(l);
    pthread_mutex_lock(&l->mutex);
    bool any = serve_sources(l);
    pthread_mutex_unlock(&l->mutex);
    return any;
}

static bool launcher_has_work(struct coalesce_launcher *l) {
    bool any = atomic_load(&l->wants_way);
    pthread_mutex_lock(&l->mutex);
    for (const struct coalesce_source *x = l->sources; x && !any; x = x->next)
        any = has_products_of_source(l, x);
    pthread_mutex_unlock(&l->mutex);
    return any;
}

/* Clears `draining` before the launcher sleeps: threads that submit a product must wake it from now
 * on. */
static void clear_draining(struct coalesce_launcher *l) {
    pthread_mutex_lock(&l->mutex);
    for (struct coalesce_source *x = l->sources; x; x = x->next)
        atomic_store(&x->block->draining, 0);
    pthread_mutex_unlock(&l->mutex);
    atomic_store(&l->draining, 0);
}

/* Returns how long the launcher polls for another process's next product before it sleeps. Waking a
 * sleeping launcher would take longer. */
static struct backoff polling_backoff(struct coalesce_launcher *l) {
    const bool polls = atomic_load(&l->foreign) > 0 && !atomic_load(&l->paused);
    return (struct backoff){.spin_ns = polls && executor_spin_ns() > 0 ? POLL_NS : 0};
}

static void serve_until_idle(void *launcher) {
    struct coalesce_launcher *l = launcher;
    do {
        struct backoff b = polling_backoff(l);
        for (bool goes_on = true; goes_on;) {
            const bool served = serve_once(l);
            b = served ? polling_backoff(l) : b;
            goes_on = served || backoff_spin(&b);
        }
        clear_draining(l);
    } while (launcher_has_work(l) && !atomic_exchange(&l->draining, 1));
}

void coalesce_launcher_ring(struct coalesce_launcher *l) {
    if (!atomic_exchange(&l->draining, 1))
        executor_post(l->executor, serve_until_idle, l);
}

/* ---- functions that run in other threads */

bool coalesce_launcher_start(struct coalesce_launcher *l) {
    if (!l->executor) {
        pthread_mutex_init(&l->mutex, NULL);
        l->executor = executor_start();
    }
    return l->executor != NULL;
}

static void request_opening_of_slots(struct coalesce_launcher *l) {
    atomic_store(&l->wants_way, true);
    coalesce_launcher_ring(l);
}

bool coalesce_launcher_is_open(struct coalesce_launcher *l) {
    return atomic_load(&l->way) == COALESCE_OPEN;
}

/* Releases device memory. First waits for products of other processes that were launched before the
 * pause. */
void coalesce_launcher_trim(struct coalesce_launcher *l) {
    /* If the context is not open, there is nothing to release; the launcher may be opening it
     * now. */
    if (!coalesce_launcher_is_open(l))
        return;
    /* another thread may be adding or removing slots of other processes */
    pthread_mutex_lock(&l->mutex);
    if (atomic_load(&l->foreign) > 0)
        finish_all(l);
    context_empty(&l->context);
    pthread_mutex_unlock(&l->mutex);
}

void coalesce_launcher_pause(struct coalesce_launcher *l) {
    atomic_fetch_add(&l->paused, 1);
}

void coalesce_launcher_resume(struct coalesce_launcher *l) {
    atomic_fetch_sub(&l->paused, 1);
    if (atomic_load(&l->foreign) > 0)
        coalesce_launcher_ring(l);
}

/* ---- adding and removing other processes' slots: places in shared memory for products */

static bool open_for(struct coalesce_launcher *l, struct executor_watch *shown) {
    const unsigned value = event_count(&l->opened) + 1;
    if (atomic_load(&l->way) == COALESCE_CLOSED) {
        request_opening_of_slots(l);
        if (!executor_wait_shown(l->executor, &l->opened, value, mpgpu_conf.watchdog, shown))
            l->session->abandon(l->device);
    }
    return coalesce_launcher_is_open(l) && l->session->is_open(l->device);
}

/* Reserves a part of the launcher's working memory on the device for the source (a process). The
 * caller has locked the mutex. */
static enum gpu_status take_work_memory(struct coalesce_launcher *l, struct coalesce_source *x) {
    struct coalesce_work *w = l->works;
    while (w < l->works + COALESCE_WORKS && w->taken == (1u << COALESCE_SHARE) - 1)
        w++;
    if (w == l->works + COALESCE_WORKS)
        return GPU_NOMEM;
    enum gpu_status status =
        w->mem.h ? GPU_OK : small_work_open(&l->context, SMALL_SLOTS_MAX, &w->mem);
    if (status != GPU_OK) {
        w->mem.h = 0;
        return status;
    }
    const unsigned part = (unsigned)__builtin_ctz(~w->taken);
    w->taken |= 1u << part;
    x->work = w;
    x->slots.work = w->mem;
    x->slots.first_work = part * COALESCE_SLOTS;
    return GPU_OK;
}

static void release_work_memory(struct coalesce_launcher *l, struct coalesce_source *x) {
    struct coalesce_work *w = x->work;
    if (!w)
        return;
    x->work = NULL;
    w->taken &= ~(1u << x->slots.first_work / COALESCE_SLOTS);
    if (w->taken)
        return;
    context_release(&l->context, w->mem, small_work_bytes(SMALL_SLOTS_MAX));
    w->mem.h = 0;
}

static enum gpu_status open_source(struct coalesce_launcher *l, struct coalesce_source *x) {
    void *slots = (char *)x->block + COALESCE_BLOCK_BYTES;
    x->slots = x->may_view ? direct_view(&l->context, slots, COALESCE_SLOTS)
                           : (struct direct_launch_slots){.host = slots, .slots = COALESCE_SLOTS};
    l->context.queue = l->queues[0];
    return x->slots.view.h ? take_work_memory(l, x) : GPU_OK;
}

enum gpu_status coalesce_launcher_add(struct coalesce_launcher *l, struct coalesce_source *source,
                                      struct coalesce_block *block, bool may_view) {
    *source = (struct coalesce_source){.block = block,
                                       .is_foreign = true,
                                       .may_view = may_view,
                                       .wants_clear = block->wants_clear != 0};
    if (!l->executor || !open_for(l, &block->watch))
        return GPU_ABSENT;
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status = open_source(l, source);
    if (status == GPU_OK) {
        source->next = l->sources;
        l->sources = source;
        atomic_fetch_add(&l->foreign, 1);
    }
    pthread_mutex_unlock(&l->mutex);
    return status;
}

/* Removes a source (a process) from the list. The caller has locked the mutex. */
static void remove_source(struct coalesce_launcher *l, const struct coalesce_source *source) {
    struct coalesce_source **at = &l->sources;
    while (*at != source)
        at = &(*at)->next;
    *at = source->next;
}

void coalesce_launcher_remove(struct coalesce_launcher *l, struct coalesce_source *source) {
    pthread_mutex_lock(&l->mutex);
    remove_source(l, source);
    atomic_fetch_sub(&l->foreign, 1);
    if (coalesce_launcher_is_open(l))
        finish_all(l);
    count_off(l, source, source->launched);
    l->context.queue = l->queues[0];
    release_work_memory(l, source);
    pthread_mutex_unlock(&l->mutex);
}

/* ---- closing the launcher's context while the device is idle */

void coalesce_launcher_close(struct coalesce_launcher *l) {
    if (!coalesce_launcher_is_open(l))
        return;
    pthread_mutex_lock(&l->mutex);
    finish_all(l);
    l->context.queue = l->queues[0];
    for (struct coalesce_source *x = l->sources; x; x = x->next) {
        for (uint32_t slots = x->launched; slots; slots &= slots - 1)
            end_launched(entry_at(x, (unsigned)__builtin_ctz(slots)), GPU_OK);
        count_off(l, x, x->launched);
        release_work_memory(l, x);
    }
    remove_source(l, &l->own);
    close_context(l);
    l->prepared = 0;
    atomic_store(&l->way, COALESCE_CLOSED);
    pthread_mutex_unlock(&l->mutex);
}

static bool open_sources(struct coalesce_launcher *l) {
    bool are_open = true;
    pthread_mutex_lock(&l->mutex);
    for (struct coalesce_source *x = l->sources; x; x = x->next)
        if (x->is_foreign)
            are_open = open_source(l, x) == GPU_OK && are_open;
    pthread_mutex_unlock(&l->mutex);
    return are_open;
}

bool coalesce_launcher_open_again(struct coalesce_launcher *l) {
    struct executor_watch unseen = {0};
    if (atomic_load(&l->foreign) == 0)
        return true;
    coalesce_launcher_pause(l);
    if (!open_for(l, &unseen) || !open_sources(l))
        return false;
    coalesce_launcher_resume(l);
    return true;
}
