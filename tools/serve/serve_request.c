/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Requests: what they name is looked up and its ranges are compared, then the device's backend is
 * called.  What fails without an answer is kept in its queue, and in the events that are recorded
 * there, until one of them has been waited for. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/serve/serve.h"
#include "tools/serve/serve_text.h"

static const char *const nonsense = "a request that names what is not there";

/* A request under way. */
struct work {
    struct serve_channel *ch;
    struct serve_client *c;
    const struct served_request *r;
    uint64_t value;
    const char *wrong; /* why the client is dropped */
};

#define BACKEND (serve_device.dev.backend)
#define DEVICE (serve_device.dev.impl)

/* For the device to be looked at. */
static enum gpu_status noted(enum gpu_status status) {
    if (status == GPU_FAILED)
        atomic_store(&serve_device.is_suspect, true);
    return status;
}

static enum gpu_status wrong(struct work *w) {
    w->wrong = nonsense;
    return GPU_FAILED;
}

static void fail(struct serve_queue *q, enum gpu_status status, const char *text) {
    if (status == GPU_OK || q->status != GPU_OK)
        return;
    q->status = status;
    snprintf(q->text, sizeof q->text, "%s", text);
}

/* Queue a[0] of this channel, or NULL. */
static struct serve_queue *queue_of(struct work *w) {
    const struct serve_object *o = serve_objects_get(w->c, w->r->a[0], OBJECT_QUEUE);
    if (!o || o->queue->channel != w->ch->number)
        return NULL;
    return o->queue;
}

static struct serve_event *event_of(struct work *w, uint64_t number) {
    return &w->ch->event[number % SERVED_EVENTS];
}

/* ---- with an answer, the client's lock held for writing */

static enum gpu_status begin_channel(struct work *w) {
    if (w->r->a[0] >= SERVED_CHANNELS)
        return wrong(w);
    return serve_channel_begin(&w->c->channel[w->r->a[0]]) ? GPU_OK : GPU_NOMEM;
}

static enum gpu_status allocate(struct work *w) {
    struct serve_object o = {.kind = OBJECT_MEMORY, .bytes = w->r->a[0]};
    enum gpu_status status = serve_buffers_take(o.bytes, &o.mem);
    if (status != GPU_OK)
        return status;
    w->value = serve_objects_add(w->c, o);
    if (w->value == 0) {
        serve_buffers_put(o.mem, o.bytes);
        return GPU_NOMEM;
    }
    atomic_fetch_add(&w->c->memory, o.bytes);
    return GPU_OK;
}

/* Another client may have it next. */
static enum gpu_status release(struct work *w) {
    struct serve_object *o = serve_objects_get(w->c, w->r->a[0], OBJECT_MEMORY);
    if (!o)
        return wrong(w);
    serve_objects_finish(w->c);
    serve_buffers_put(o->mem, o->bytes);
    atomic_fetch_sub(&w->c->memory, o->bytes);
    o->kind = OBJECT_NONE;
    return GPU_OK;
}

/* Only of memory that is page-locked, since kernels reach no other. */
static enum gpu_status view(struct work *w) {
    struct serve_object o = {.kind = OBJECT_VIEW, .bytes = w->r->a[0]};
    bool is_locked = false;
    for (uint32_t i = 0; i < w->c->locks && !is_locked; i++)
        is_locked =
            w->c->locked[i].region == 0 && o.bytes - w->c->locked[i].offset < w->c->locked[i].bytes;
    char *p = is_locked ? serve_memory_at(w->c, 0, o.bytes, 0) : NULL;
    enum gpu_status status = p ? BACKEND->host_view(DEVICE, p, &o.mem) : GPU_ABSENT;
    if (status != GPU_OK)
        return status;
    w->value = serve_objects_add(w->c, o);
    return w->value ? GPU_OK : GPU_NOMEM;
}

static enum gpu_status open_queue(struct work *w) {
    struct serve_queue *q = calloc(1, sizeof *q);
    if (!q)
        return GPU_NOMEM;
    q->channel = w->ch->number;
    enum gpu_status status = BACKEND->queue_open(DEVICE, &q->impl);
    if (status == GPU_OK)
        w->value = serve_objects_add(w->c, (struct serve_object){.kind = OBJECT_QUEUE, .queue = q});
    if (w->value)
        return GPU_OK;
    if (status == GPU_OK)
        BACKEND->queue_close(q->impl);
    free(q);
    return status == GPU_OK ? GPU_NOMEM : status;
}

static enum gpu_status close_queue(struct work *w) {
    struct serve_queue *q = queue_of(w);
    if (!q)
        return wrong(w);
    for (int i = 0; i < SERVED_EVENTS; i++)
        if (w->ch->event[i].queue == q)
            w->ch->event[i].queue = NULL;
    gpu_finish(&(struct gpu_queue){BACKEND, q->impl});
    BACKEND->queue_close(q->impl);
    free(q);
    serve_objects_get(w->c, w->r->a[0], OBJECT_QUEUE)->kind = OBJECT_NONE;
    return GPU_OK;
}

static enum gpu_status lock_memory(struct work *w) {
    const uint64_t *a = w->r->a;
    return serve_memory_at(w->c, a[0], a[1], a[2]) ? serve_memory_lock(w->c, a[0], a[1], a[2])
                                                   : wrong(w);
}

/* What was refused to be locked may be unlocked, too. */
static enum gpu_status unlock_memory(struct work *w) {
    serve_memory_unlock(w->c, w->r->a[0], w->r->a[1]);
    return GPU_OK;
}

static enum gpu_status drop_region(struct work *w) {
    return serve_memory_drop(w->c, w->r->a[0]) ? GPU_OK : wrong(w);
}

/* ---- with an answer, without the lock */

static enum gpu_status make_kernel(struct work *w) {
    gpu_kernel_impl *unused;
    if (w->r->a[0] >= GPU_KERNELS)
        return wrong(w);
    return BACKEND->kernel(DEVICE, (enum gpu_kernel)w->r->a[0], &unused);
}

static enum gpu_status build(struct work *w) {
    const char *body = serve_memory_at(w->c, 0, w->r->a[0], w->r->a[1]);
    return body ? serve_text_build(body, w->r->a[1], w->r->a[2], &w->value) : wrong(w);
}

static enum gpu_status know(struct work *w) {
    if (w->r->a[0] >= GPU_KNOWN)
        return wrong(w);
    atomic_fetch_or(&serve_device.known[w->r->a[0]], w->r->a[1]);
    return GPU_OK;
}

static enum gpu_status leave(struct work *w) {
    serve_clients_end(w->c, NULL);
    return GPU_OK;
}

/* Of an event whose queue has failed meanwhile, too: what it stands for may not be done.  From then
 * on the queue works again. */
static enum gpu_status wait_for(struct work *w) {
    const struct serve_event *event = event_of(w, w->r->a[0]);
    struct serve_queue *q = event->queue;
    enum gpu_status status = event->impl ? BACKEND->event_wait(event->impl) : event->status;
    if (!q || q->status == GPU_OK)
        return status;
    snprintf(w->c->shared->channel[w->ch->number].text, SERVED_TEXT, "%s", q->text);
    status = q->status;
    q->status = GPU_OK;
    return status;
}

/* ---- without an answer, the lock held for reading */

static enum gpu_status copy(struct work *w, struct serve_queue *q, bool is_write) {
    const uint64_t *a = w->r->a;
    const struct serve_object *o = serve_objects_get(w->c, a[1], OBJECT_MEMORY);
    char *host = serve_memory_at(w->c, a[3], a[4], a[5]);
    if (!o || !host || a[2] > o->bytes || a[5] > o->bytes - a[2])
        return wrong(w);
    atomic_fetch_add(is_write ? &w->c->up : &w->c->down, a[5]);
    return is_write ? BACKEND->write(q->impl, o->mem, (size_t)a[2], host, (size_t)a[5])
                    : BACKEND->read(q->impl, host, o->mem, (size_t)a[2], (size_t)a[5]);
}

static enum gpu_status zero(struct work *w, struct serve_queue *q) {
    const uint64_t *a = w->r->a;
    const struct serve_object *o = serve_objects_get(w->c, a[1], OBJECT_MEMORY);
    if (!o || a[2] > o->bytes || a[3] > o->bytes - a[2])
        return wrong(w);
    return BACKEND->zero(q->impl, o->mem, (size_t)a[2], (size_t)a[3]);
}

/* The kernel, and what arguments it takes; NULL for a number that is none. */
static const char *find_kernel(uint64_t id, gpu_kernel_impl **kernel, enum gpu_status *status) {
    *status = GPU_OK;
    if (id >= GPU_KERNELS)
        return serve_text_get(id, kernel);
    *status = BACKEND->kernel(DEVICE, (enum gpu_kernel)id, kernel);
    return gpu_kernel_heads[id].takes;
}

/* Arguments as the kernel takes them, with its memory's numbers replaced. */
static bool take_args(const struct work *w, const char *takes, struct gpu_arg *args) {
    static const char letters[] = {[GPU_ARG_MEM] = 'm', [GPU_ARG_U32] = 'w', [GPU_ARG_U64] = 'l'};
    if (strlen(takes) != w->r->nargs)
        return false;
    for (uint32_t i = 0; i < w->r->nargs; i++) {
        args[i] = w->r->args[i];
        if ((unsigned)args[i].kind >= sizeof letters || letters[args[i].kind] != takes[i] ||
            (args[i].kind == GPU_ARG_MEM &&
             !serve_objects_memory(w->c, w->r->args[i].v.mem.h, &args[i].v.mem)))
            return false;
    }
    return true;
}

static enum gpu_status launch(struct work *w, struct serve_queue *q) {
    struct gpu_arg args[SERVED_ARGS];
    gpu_kernel_impl *kernel;
    enum gpu_status status;
    const uint64_t *a = w->r->a;
    const char *takes = find_kernel(a[1], &kernel, &status);
    if (!takes || !take_args(w, takes, args) || a[2] > INT32_MAX || a[3] > UINT16_MAX)
        return wrong(w);
    atomic_fetch_add(&w->c->launches, 1);
    return status == GPU_OK
               ? BACKEND->launch(q->impl, kernel, (unsigned)a[2], (unsigned)a[3], args, w->r->nargs)
               : status;
}

static void forget(struct serve_event *event) {
    if (event->impl)
        BACKEND->event_release(event->impl);
    *event = (struct serve_event){.status = GPU_OK};
}

static enum gpu_status record(struct serve_queue *q, struct serve_event *event) {
    forget(event);
    event->queue = q;
    event->status = q->status;
    return q->status == GPU_OK ? BACKEND->event_record(q->impl, &event->impl) : GPU_OK;
}

/* A failure that the event stands for, or that its queue has come to since, is the queue's too. */
static enum gpu_status wait_in_queue(struct serve_queue *q, const struct serve_event *event) {
    if (event->queue)
        fail(q, event->queue->status, event->queue->text);
    fail(q, event->status, "what was waited for has failed");
    return q->status == GPU_OK && event->impl ? BACKEND->queue_wait(q->impl, event->impl) : GPU_OK;
}

static enum gpu_status series(struct serve_queue *q, bool begins) {
    return BACKEND->series ? BACKEND->series(q->impl, begins) : GPU_OK;
}

/* Of a queue that has failed only the end of a series is put in. */
static enum gpu_status put(struct work *w, struct serve_queue *q) {
    switch (w->r->op) {
    case SERVED_RECORD:
        return record(q, event_of(w, w->r->a[1]));
    case SERVED_QUEUE_WAIT:
        return wait_in_queue(q, event_of(w, w->r->a[1]));
    case SERVED_SERIES:
        return q->status == GPU_OK || !w->r->a[1] ? series(q, w->r->a[1] != 0) : GPU_OK;
    case SERVED_WRITE:
    case SERVED_READ:
        return q->status == GPU_OK ? copy(w, q, w->r->op == SERVED_WRITE) : GPU_OK;
    case SERVED_ZERO:
        return q->status == GPU_OK ? zero(w, q) : GPU_OK;
    default:
        return q->status == GPU_OK ? launch(w, q) : GPU_OK;
    }
}

static void post(struct work *w) {
    if (w->r->op == SERVED_FORGET) {
        forget(event_of(w, w->r->a[0]));
        return;
    }
    pthread_rwlock_rdlock(&w->c->lock);
    struct serve_queue *q = queue_of(w);
    if (q)
        fail(q, noted(put(w, q)), gpu_error_text());
    else
        w->wrong = nonsense;
    pthread_rwlock_unlock(&w->c->lock);
}

/* ---- all */

static enum gpu_status (*const answered[SERVED_OPS])(struct work *w) = {
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
    [SERVED_WAIT] = wait_for};

static bool takes_lock(uint32_t op) {
    return op != SERVED_LEAVE && op != SERVED_KERNEL && op != SERVED_BUILD && op != SERVED_KNOW &&
           op != SERVED_WAIT;
}

static enum gpu_status answer(struct work *w) {
    if (!takes_lock(w->r->op))
        return answered[w->r->op](w);
    pthread_rwlock_wrlock(&w->c->lock);
    enum gpu_status status = answered[w->r->op](w);
    pthread_rwlock_unlock(&w->c->lock);
    return status;
}

const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer) {
    struct work w = {.ch = ch, .c = ch->client, .r = r};
    struct served_channel *to = &w.c->shared->channel[ch->number];
    *has_answer = r->op < SERVED_OPS && answered[r->op];
    if (r->op == 0 || r->op >= SERVED_OPS || r->nargs > SERVED_ARGS)
        return "a request that is none";
    atomic_fetch_add(&w.c->requests, 1);
    if (!*has_answer) {
        post(&w);
        return w.wrong;
    }
    to->text[0] = '\0';
    enum gpu_status status = answer(&w);
    if (!w.wrong)
        noted(status);
    if (status != GPU_OK && !to->text[0])
        snprintf(to->text, sizeof to->text, "%s", gpu_error_text());
    to->status = (int32_t)status;
    to->value = w.value;
    return w.wrong;
}
