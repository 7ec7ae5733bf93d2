/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Requests, served.  What fails without an answer is kept in its queue, and in the events that are
 * recorded there, until one of them has been waited for. */
#include "config.h"

#include "gpu/remote/remote_serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"

struct queue {
    gpu_queue_impl *impl;
    enum gpu_status status; /* of what failed first, and in words */
    char text[REMOTE_TEXT];
};

static struct gpu_device device;          /* the open one */
static gpu_kernel_impl *texts[GPU_TEXTS]; /* of it: kernel GPU_KERNELS and on */

static struct event {
    gpu_event_impl *impl; /* NULL: the queue had failed, so */
    enum gpu_status status;
    struct queue *queue; /* NULL: it is closed */
} events[REMOTE_EVENTS];

static gpu_mem mem(uint64_t h) {
    return (gpu_mem){h};
}

static struct queue *queue_of(const struct remote_request *r) {
    return (struct queue *)(uintptr_t)r->a[0];
}

static struct event *event_at(uint64_t number) {
    return &events[number % REMOTE_EVENTS];
}

static void fail(struct queue *q, int status, const char *text) {
    if (status == GPU_OK || q->status != GPU_OK)
        return;
    q->status = status;
    snprintf(q->text, sizeof q->text, "%s", text);
}

/* ---- with an answer */

static enum gpu_status enumerate(const struct gpu_backend *backend, struct remote_shared *shared) {
    gpu_fail(GPU_OK, "%s", "");
    shared->value = (uint64_t)backend->enumerate(shared->caps, REMOTE_DEVICES);
    return shared->value == 0 && *gpu_error_text() ? GPU_ABSENT : GPU_OK;
}

static enum gpu_status close_device(void) {
    memset(texts, 0, sizeof texts);
    if (device.impl)
        gpu_close(&device);
    return GPU_OK;
}

static enum gpu_status open_device(const struct gpu_backend *backend,
                                   const struct remote_request *r) {
    close_device();
    device = (struct gpu_device){.backend = backend, .index = (int)r->a[0]};
    return backend->open(device.index, &device.impl);
}

static enum gpu_status alloc(struct remote_shared *shared, const struct remote_request *r) {
    gpu_mem new;
    enum gpu_status status = gpu_alloc(&device, (size_t)r->a[0], &new);
    shared->value = new.h;
    return status;
}

static enum gpu_status open_queue(struct remote_shared *shared) {
    struct queue *q = calloc(1, sizeof *q);
    shared->value = (uintptr_t)q;
    enum gpu_status status = q ? device.backend->queue_open(device.impl, &q->impl) : GPU_NOMEM;
    if (status != GPU_OK)
        free(q);
    return status;
}

static enum gpu_status close_queue(struct queue *q) {
    for (int i = 0; i < REMOTE_EVENTS; i++)
        if (events[i].queue == q)
            events[i].queue = NULL;
    device.backend->queue_close(q->impl);
    free(q);
    return GPU_OK;
}

static enum gpu_status get_kernel(uint64_t id, gpu_kernel_impl **kernelp) {
    if (id >= GPU_KERNELS && id - GPU_KERNELS < GPU_TEXTS && texts[id - GPU_KERNELS]) {
        *kernelp = texts[id - GPU_KERNELS];
        return GPU_OK;
    }
    const enum gpu_kernel kernel = id < GPU_KERNELS ? (enum gpu_kernel)id : GPU_KERNELS;
    return device.backend->kernel(device.impl, kernel, kernelp);
}

static enum gpu_status make_kernel(const struct remote_request *r) {
    gpu_kernel_impl *unused;
    return get_kernel(r->a[0], &unused);
}

/* The backend gives the same kernel for the same text. */
static enum gpu_status make_text(struct remote_shared *shared, const struct remote_request *r) {
    struct gpu_text text = {(unsigned)r->a[1], remote_host(shared) + r->a[0]};
    gpu_kernel_impl *kernel;
    unsigned i = 0;
    enum gpu_status status = device.backend->build(device.impl, &text, &kernel);
    while (status == GPU_OK && i < GPU_TEXTS - 1 && texts[i] && texts[i] != kernel)
        i++;
    if (status == GPU_OK)
        texts[i] = kernel;
    shared->value = GPU_KERNELS + i;
    return status;
}

/* Of an event whose queue has failed meanwhile, too: what it stands for may not be done.  From then
 * on the queue works again. */
static enum gpu_status wait_for(struct remote_shared *shared, const struct event *event) {
    struct queue *q = event->queue;
    enum gpu_status status = event->impl ? device.backend->event_wait(event->impl) : event->status;
    if (!q || q->status == GPU_OK)
        return status;
    snprintf(shared->text, sizeof shared->text, "%s", q->text);
    status = q->status;
    q->status = GPU_OK;
    return status;
}

/* ---- without one */

static void forget(struct event *event) {
    if (event->impl)
        device.backend->event_release(event->impl);
    *event = (struct event){.status = GPU_OK};
}

static enum gpu_status record(struct queue *q, struct event *event) {
    forget(event);
    event->queue = q;
    event->status = q->status;
    return q->status == GPU_OK ? device.backend->event_record(q->impl, &event->impl) : GPU_OK;
}

/* A failure that the event stands for, or that its queue has come to since, is the queue's too. */
static enum gpu_status wait_in_queue(struct queue *q, const struct event *event) {
    if (event->queue)
        fail(q, event->queue->status, event->queue->text);
    fail(q, event->status, "what was waited for has failed");
    return q->status == GPU_OK && event->impl ? device.backend->queue_wait(q->impl, event->impl)
                                              : GPU_OK;
}

static enum gpu_status launch(struct queue *q, const struct remote_request *r) {
    gpu_kernel_impl *kernel;
    enum gpu_status status = get_kernel(r->a[1], &kernel);
    return status == GPU_OK ? device.backend->launch(q->impl, kernel, (unsigned)r->a[2],
                                                     (unsigned)r->a[3], r->args, r->nargs)
                            : status;
}

static enum gpu_status work(struct remote_shared *shared, struct queue *q,
                            const struct remote_request *r) {
    const struct gpu_backend *b = device.backend;
    char *host = remote_host(shared) + r->a[3];
    switch (r->op) {
    case REMOTE_WRITE:
        return b->write(q->impl, mem(r->a[1]), r->a[2], host, r->a[4]);
    case REMOTE_READ:
        return b->read(q->impl, host, mem(r->a[1]), r->a[2], r->a[4]);
    case REMOTE_ZERO:
        return b->zero(q->impl, mem(r->a[1]), r->a[2], r->a[3]);
    default:
        return launch(q, r);
    }
}

static void post(struct remote_shared *shared, const struct remote_request *r) {
    struct queue *q = queue_of(r);
    enum gpu_status status = GPU_OK;
    switch (r->op) {
    case REMOTE_RELEASE:
        gpu_release(&device, mem(r->a[0]));
        return;
    case REMOTE_FORGET:
        forget(event_at(r->a[0]));
        return;
    case REMOTE_RECORD:
        status = record(q, event_at(r->a[1]));
        break;
    case REMOTE_QUEUE_WAIT:
        status = wait_in_queue(q, event_at(r->a[1]));
        break;
    default:
        status = q->status == GPU_OK ? work(shared, q, r) : GPU_OK;
    }
    fail(q, status, gpu_error_text());
}

bool remote_serve(const struct gpu_backend *backend, struct remote_shared *shared,
                  const struct remote_request *r) {
    enum gpu_status status;
    shared->text[0] = '\0';
    switch (r->op) {
    case REMOTE_ENUMERATE:
        status = enumerate(backend, shared);
        break;
    case REMOTE_OPEN:
        status = open_device(backend, r);
        break;
    case REMOTE_CLOSE:
        status = close_device();
        break;
    case REMOTE_ALLOC:
        status = alloc(shared, r);
        break;
    case REMOTE_QUEUE_OPEN:
        status = open_queue(shared);
        break;
    case REMOTE_QUEUE_CLOSE:
        status = close_queue(queue_of(r));
        break;
    case REMOTE_KERNEL:
        status = make_kernel(r);
        break;
    case REMOTE_TEXT_KERNEL:
        status = make_text(shared, r);
        break;
    case REMOTE_WAIT:
        status = wait_for(shared, event_at(r->a[0]));
        break;
    default:
        post(shared, r);
        return false;
    }
    shared->status = status;
    if (status != GPU_OK && !shared->text[0])
        snprintf(shared->text, sizeof shared->text, "%s", gpu_error_text());
    return true;
}

void remote_serve_log(struct remote_shared *shared, int level, const char *text) {
    size_t length = strlen(text), room = sizeof shared->log - shared->log_bytes;
    if (length + 2 > room)
        return;
    char *to = &shared->log[shared->log_bytes];
    to[0] = (char)level;
    memcpy(to + 1, text, length + 1);
    shared->log_bytes += (uint32_t)length + 2;
}
