/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Requests that have an answer. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/serve/serve_text.h"
#include "tools/serve/serve_work.h"

/* ---- with an answer, the client's lock held for writing */

/* By the first channel alone: when its thread has ended no more are begun (serve_clients.c). */
static enum gpu_status begin_channel(struct serve_work *w) {
    if (w->r->a[0] >= SERVED_CHANNELS || w->ch->number != 0)
        return serve_work_wrong(w);
    return serve_channel_begin(&w->c->channel[w->r->a[0]]) ? GPU_OK : GPU_NOMEM;
}

/* Only of memory that is page-locked, since kernels reach no other. */
static enum gpu_status view(struct serve_work *w) {
    if (!serve_work_device(w, w->r->a[1]))
        return serve_work_wrong(w);
    struct serve_object o = {.kind = OBJECT_VIEW, .device = w->device, .bytes = w->r->a[0]};
    bool is_locked = false;
    for (uint32_t i = 0; i < w->c->locks && !is_locked; i++)
        is_locked =
            w->c->locked[i].region == 0 && o.bytes - w->c->locked[i].offset < w->c->locked[i].bytes;
    char *p = is_locked ? serve_memory_at(w->c, 0, o.bytes, 0) : NULL;
    const struct gpu_device *dev = &o.device->dev;
    enum gpu_status status = p ? dev->backend->host_view(dev->impl, p, &o.mem) : GPU_ABSENT;
    if (status != GPU_OK)
        return status;
    w->value = serve_objects_add(w->c, o);
    return w->value ? GPU_OK : GPU_NOMEM;
}

static enum gpu_status open_queue(struct serve_work *w) {
    if (!serve_work_device(w, w->r->a[0]))
        return serve_work_wrong(w);
    struct serve_queue *q = calloc(1, sizeof *q);
    if (!q)
        return GPU_NOMEM;
    q->channel = w->ch->number;
    q->device = w->device;
    enum gpu_status status = serve_queues_take(q->device, &q->impl);
    if (status == GPU_OK)
        w->value = serve_objects_add(
            w->c, (struct serve_object){.kind = OBJECT_QUEUE, .device = q->device, .queue = q});
    if (w->value)
        return GPU_OK;
    if (status == GPU_OK)
        serve_queues_put(q->device, q->impl, true);
    free(q);
    return status == GPU_OK ? GPU_NOMEM : status;
}

static enum gpu_status close_queue(struct serve_work *w) {
    struct serve_queue *q = serve_work_queue(w);
    if (!q)
        return serve_work_wrong(w);
    for (int i = 0; i < SERVED_EVENTS; i++)
        if (w->ch->event[i].queue == q)
            w->ch->event[i].queue = NULL;
    serve_queues_put(q->device, q->impl, q->status == GPU_OK);
    free(q);
    serve_objects_get(w->c, w->r->a[0], OBJECT_QUEUE)->kind = OBJECT_NONE;
    return GPU_OK;
}

static enum gpu_status lock_memory(struct serve_work *w) {
    const uint64_t *a = w->r->a;
    return serve_memory_at(w->c, a[0], a[1], a[2]) ? serve_memory_lock(w->c, a[0], a[1], a[2])
                                                   : serve_work_wrong(w);
}

/* What was refused to be locked may be unlocked, too. */
static enum gpu_status unlock_memory(struct serve_work *w) {
    serve_memory_unlock(w->c, w->r->a[0], w->r->a[1]);
    return GPU_OK;
}

static enum gpu_status drop_region(struct serve_work *w) {
    return serve_memory_drop(w->c, w->r->a[0]) ? GPU_OK : serve_work_wrong(w);
}

/* ---- with an answer, without the lock */

static enum gpu_status allocate(struct serve_work *w) {
    if (!serve_work_device(w, w->r->a[1]))
        return serve_work_wrong(w);
    return serve_objects_alloc(w->c, w->device, w->r->a[0], &w->value);
}

static enum gpu_status release(struct serve_work *w) {
    return serve_objects_free(w->c, w->r->a[0]) ? GPU_OK : serve_work_wrong(w);
}

static enum gpu_status make_kernel(struct serve_work *w) {
    gpu_kernel_impl *unused;
    if (w->r->a[0] >= GPU_KERNELS || !serve_work_device(w, w->r->a[1]))
        return serve_work_wrong(w);
    const struct gpu_device *dev = &w->device->dev;
    return dev->backend->kernel(dev->impl, (enum gpu_kernel)w->r->a[0], &unused);
}

static enum gpu_status build(struct serve_work *w) {
    const uint64_t *a = w->r->a;
    const char *body = serve_memory_at(w->c, 0, a[0], a[1]);
    if (!body || !serve_work_device(w, a[3]))
        return serve_work_wrong(w);
    return serve_text_build(w->device, body, a[1], a[2], &w->value);
}

static enum gpu_status know(struct serve_work *w) {
    if (w->r->a[0] >= GPU_KNOWN || !serve_work_device(w, w->r->a[2]))
        return serve_work_wrong(w);
    atomic_fetch_or(&w->device->known[w->r->a[0]], w->r->a[1]);
    return GPU_OK;
}

static enum gpu_status leave(struct serve_work *w) {
    serve_clients_end(w->c, NULL);
    return GPU_OK;
}

/* Of an event whose queue has failed meanwhile, too: what it stands for may not be done.  From then
 * on the queue works again. */
static enum gpu_status wait_for(struct serve_work *w) {
    const struct serve_event *event = serve_work_event(w, w->r->a[0]);
    struct serve_queue *q = event->queue;
    w->device = event->device;
    enum gpu_status status =
        event->impl ? event->device->dev.backend->event_wait(event->impl) : event->status;
    int late = q ? atomic_exchange(&q->late, GPU_OK) : GPU_OK;
    if (!q || q->status == GPU_OK)
        return status == GPU_OK ? (enum gpu_status)late : status;
    snprintf(w->c->shared->channel[w->ch->number].text, SERVED_TEXT, "%s", q->text);
    status = q->status;
    q->status = GPU_OK;
    return status;
}

/* ---- all */

static enum gpu_status (*const answered[SERVED_OPS])(struct serve_work *w) = {
    [SERVED_CHANNEL] = begin_channel,
    [SERVED_LEAVE] = leave,
    [SERVED_ALLOC] = allocate,
    [SERVED_RELEASE] = release,
    [SERVED_LOCK] = lock_memory,
    [SERVED_UNLOCK] = unlock_memory,
    [SERVED_DROP] = drop_region,
    [SERVED_VIEW] = view,
    [SERVED_QUEUE_OPEN] = open_queue,
    [SERVED_QUEUE_CLOSE] = close_queue,
    [SERVED_KERNEL] = make_kernel,
    [SERVED_BUILD] = build,
    [SERVED_KNOW] = know,
    [SERVED_WAIT] = wait_for,
    [SERVED_JOB] = serve_job,
    [SERVED_SLOTS] = serve_slots_open};

static bool takes_lock(uint32_t op) {
    return op != SERVED_LEAVE && op != SERVED_KERNEL && op != SERVED_BUILD && op != SERVED_KNOW &&
           op != SERVED_WAIT && op != SERVED_JOB && op != SERVED_SLOTS && op != SERVED_ALLOC &&
           op != SERVED_RELEASE;
}

enum gpu_status serve_answer(struct serve_work *w) {
    if (!takes_lock(w->r->op))
        return answered[w->r->op](w);
    pthread_rwlock_wrlock(&w->c->lock);
    enum gpu_status status = answered[w->r->op](w);
    pthread_rwlock_unlock(&w->c->lock);
    return status;
}

bool serve_has_answer(uint32_t op) {
    return op < SERVED_OPS && answered[op];
}
