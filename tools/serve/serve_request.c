/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Requests: what they name is looked up and its ranges are compared, then the device's backend is
 * called.  What fails without an answer is kept in its queue, and in the events that are recorded
 * there, until one of them has been waited for. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/serve/serve.h"
#include "tools/serve/serve_text.h"
#include "tools/serve/serve_work.h"

static void fail(struct serve_queue *q, enum gpu_status status, const char *text) {
    if (status == GPU_OK || q->status != GPU_OK)
        return;
    q->status = status;
    snprintf(q->text, sizeof q->text, "%s", text);
}

/* ---- without an answer, the lock held for reading */

static bool is_inside(const struct serve_object *o, uint64_t offset, uint64_t bytes) {
    return offset <= o->bytes && bytes <= o->bytes - offset;
}

/* The memory with that number, if it is of the queue's device and has those bytes; else NULL. */
static const struct serve_object *find_memory(const struct serve_work *w,
                                              const struct serve_queue *q, uint64_t number,
                                              uint64_t offset, uint64_t bytes) {
    const struct serve_object *o = serve_objects_get(w->c, number, OBJECT_MEMORY);
    return o && o->device == q->device && is_inside(o, offset, bytes) ? o : NULL;
}

static enum gpu_status copy(struct serve_work *w, struct serve_queue *q, bool is_write) {
    const uint64_t *a = w->r->a;
    const struct serve_object *o = find_memory(w, q, a[1], a[2], a[5]);
    char *host = serve_memory_at(w->c, a[3], a[4], a[5]);
    if (!o || !host)
        return serve_work_wrong(w);
    atomic_fetch_add(is_write ? &w->c->up : &w->c->down, a[5]);
    const struct gpu_backend *backend = q->device->dev.backend;
    return is_write ? backend->write(q->impl, o->mem, (size_t)a[2], host, (size_t)a[5])
                    : backend->read(q->impl, host, o->mem, (size_t)a[2], (size_t)a[5]);
}

static enum gpu_status zero(struct serve_work *w, struct serve_queue *q) {
    const uint64_t *a = w->r->a;
    const struct serve_object *o = find_memory(w, q, a[1], a[2], a[3]);
    if (!o)
        return serve_work_wrong(w);
    return q->device->dev.backend->zero(q->impl, o->mem, (size_t)a[2], (size_t)a[3]);
}

/* The kernel, and what arguments it takes; NULL for a number that is none. */
static const char *find_kernel(const struct serve_work *w, uint64_t id, gpu_kernel_impl **kernel,
                               enum gpu_status *status) {
    *status = GPU_OK;
    if (id >= GPU_KERNELS)
        return serve_text_get(w->device, id, kernel);
    const struct gpu_device *dev = &w->device->dev;
    *status = dev->backend->kernel(dev->impl, (enum gpu_kernel)id, kernel);
    return gpu_kernel_heads[id].takes;
}

/* Arguments as the kernel takes them, with its memory's numbers replaced. */
static bool take_args(const struct serve_work *w, const char *takes, struct gpu_arg *args) {
    static const char letters[] = {[GPU_ARG_MEM] = 'm', [GPU_ARG_U32] = 'w', [GPU_ARG_U64] = 'l'};
    if (strlen(takes) != w->r->nargs)
        return false;
    for (uint32_t i = 0; i < w->r->nargs; i++) {
        args[i] = w->r->args[i];
        if ((unsigned)args[i].kind >= sizeof letters || letters[args[i].kind] != takes[i] ||
            (args[i].kind == GPU_ARG_MEM &&
             !serve_objects_memory(w->c, w->device, w->r->args[i].v.mem.h, &args[i].v.mem)))
            return false;
    }
    return true;
}

static enum gpu_status launch(struct serve_work *w, struct serve_queue *q) {
    struct gpu_arg args[SERVED_ARGS];
    gpu_kernel_impl *kernel;
    enum gpu_status status;
    const uint64_t *a = w->r->a;
    const char *takes = find_kernel(w, a[1], &kernel, &status);
    if (!takes || !take_args(w, takes, args) || a[2] > INT32_MAX || a[3] > UINT16_MAX)
        return serve_work_wrong(w);
    atomic_fetch_add(&w->c->launches, 1);
    return status == GPU_OK ? w->device->dev.backend->launch(q->impl, kernel, (unsigned)a[2],
                                                             (unsigned)a[3], args, w->r->nargs)
                            : status;
}

static void forget(struct serve_event *event) {
    if (event->impl)
        event->device->dev.backend->event_release(event->impl);
    *event = (struct serve_event){.status = GPU_OK};
}

static enum gpu_status record(struct serve_queue *q, struct serve_event *event) {
    forget(event);
    event->device = q->device;
    event->queue = q;
    event->status = q->status;
    return q->status == GPU_OK ? q->device->dev.backend->event_record(q->impl, &event->impl)
                               : GPU_OK;
}

/* A failure that the event stands for, or that its queue has come to since, is the queue's too. */
static enum gpu_status wait_in_queue(struct serve_queue *q, const struct serve_event *event) {
    if (event->queue)
        fail(q, event->queue->status, event->queue->text);
    if (event->queue)
        fail(q, (enum gpu_status)atomic_load(&event->queue->late), "what came before has failed");
    fail(q, event->status, "what was waited for has failed");
    if (q->status != GPU_OK || !event->impl)
        return GPU_OK;
    const struct gpu_backend *backend = event->device->dev.backend;
    return event->device == q->device ? backend->queue_wait(q->impl, event->impl)
                                      : backend->event_wait(event->impl);
}

static enum gpu_status series(struct serve_queue *q, bool begins) {
    const struct gpu_backend *backend = q->device->dev.backend;
    return backend->series ? backend->series(q->impl, begins) : GPU_OK;
}

/* Of a queue that has failed only the end of a series is put in. */
static enum gpu_status put(struct serve_work *w, struct serve_queue *q) {
    switch (w->r->op) {
    case SERVED_RECORD:
        return record(q, serve_work_event(w, w->r->a[1]));
    case SERVED_QUEUE_WAIT:
        return wait_in_queue(q, serve_work_event(w, w->r->a[1]));
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

static void post(struct serve_work *w) {
    if (w->r->op == SERVED_FORGET) {
        forget(serve_work_event(w, w->r->a[0]));
        return;
    }
    if (w->r->op == SERVED_RING_SLOTS) {
        serve_slots_ring(w);
        return;
    }
    pthread_rwlock_rdlock(&w->c->lock);
    struct serve_queue *q = serve_work_queue(w);
    w->device = q ? q->device : NULL;
    if (q)
        fail(q, serve_work_noted(w, put(w, q)), gpu_error_text());
    else
        serve_work_wrong(w);
    pthread_rwlock_unlock(&w->c->lock);
}

/* Why the client is dropped, or NULL; in the log what it has asked for. */
static const char *wrong_of(const struct serve_work *w) {
    const uint64_t *a = w->r->a;
    if (w->wrong)
        serve_log(2,
                  "client %d (%s), channel %u: request %u (%" PRIu64 ", %" PRIu64 ", %" PRIu64
                  ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ")",
                  (int)w->c->pid, w->c->name, w->ch->number, w->r->op, a[0], a[1], a[2], a[3], a[4],
                  a[5]);
    return w->wrong;
}

const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer) {
    struct serve_work w = {.ch = ch, .c = ch->client, .r = r};
    struct served_channel *to = &w.c->shared->channel[ch->number];
    *has_answer = r->op < SERVED_OPS && serve_has_answer(r->op);
    if (r->op == 0 || r->op >= SERVED_OPS || r->nargs > SERVED_ARGS)
        return "a request that is none";
    atomic_fetch_add(&w.c->requests, 1);
    if (!*has_answer) {
        post(&w);
        return wrong_of(&w);
    }
    to->text[0] = '\0';
    enum gpu_status status = serve_answer(&w);
    if (!w.wrong)
        serve_work_noted(&w, status);
    if (status != GPU_OK && !to->text[0])
        snprintf(to->text, sizeof to->text, "%s", gpu_error_text());
    to->status = (int32_t)status;
    to->value = w.value;
    return wrong_of(&w);
}
